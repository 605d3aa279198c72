//! Files that are wrong, each with the whole message that it is refused with.
//!
//! `malformed.txt` has them: a title, the file, and after `->` the message. With `STICKSLIP_BLESS` set the messages are written anew,
//! to be read before they are committed.

use crate::shared::file;
use stickslip_robots::{Error, UrdfBase, read_mesh, read_mjcf, read_urdf};

const CASES: &str = include_str!("malformed.txt");

/// Title, kind, text and message of each case.
pub(crate) fn cases() -> Vec<[&'static str; 4]> {
    let blocks = CASES.split("== ").skip(1);
    let parse = |block: &'static str| {
        let (title, rest) = block.split_once('\n').unwrap();
        let (text, message) = rest.rsplit_once("\n-> ").unwrap();
        [title, title.split(':').next().unwrap(), text, message.trim_end()]
    };
    blocks.map(parse).collect()
}

fn refuse(kind: &str, text: &str) -> Result<(), Error> {
    let name = format!("case.{kind}");
    match kind {
        "urdf" => read_urdf(text.as_bytes(), &name, UrdfBase::Fixed, &file).map(|_| ()),
        "mjcf" => read_mjcf(text.as_bytes(), &name, &file).map(|_| ()),
        _ => read_mesh(text.as_bytes(), &name, &file).map(|_| ()),
    }
}

#[test]
fn wrong_files_are_refused_with_their_messages() {
    let cases = cases();
    assert!(cases.len() >= 60);
    let mut written = String::new();
    let mut different = Vec::new();
    for [title, kind, text, message] in cases {
        let found = match refuse(kind, text) {
            Ok(()) => panic!("`{title}` is accepted"),
            Err(error) => error.to_string(),
        };
        written += &format!("== {title}\n{text}\n-> {found}\n");
        if found != message {
            different.push(format!("{title}\n  found    {found}\n  recorded {message}"));
        }
    }
    if std::env::var_os("STICKSLIP_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/malformed.txt");
        std::fs::write(path, written).unwrap();
        return;
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// The message of a mesh in bytes.
fn message(bytes: &[u8], name: &str) -> String {
    read_mesh(bytes, name, &file).unwrap_err().to_string()
}

#[test]
fn malformed_binary_stl_is_refused_without_believing_its_header() {
    let good = file("meshes/prism.stl").unwrap();
    assert_eq!(
        message(&good[..200], "a.stl"),
        "a.stl: byte 200: the file has 200 bytes where 884 are needed; it is truncated"
    );
    assert_eq!(
        message(&good[..50], "a.stl"),
        "a.stl: byte 50: the file has 50 bytes where 84 are needed; it is truncated"
    );
    let mut huge = good.clone();
    huge[80..84].fill(0xff);
    assert_eq!(
        message(&huge, "a.stl"),
        "a.stl: byte 884: the file has 884 bytes where 214748364834 are needed; it is truncated"
    );
    let mut long = good.clone();
    long.extend([0; 7]);
    assert_eq!(
        message(&long, "a.stl"),
        "a.stl: byte 891: 7 bytes follow after the last triangle; the count in the header is wrong"
    );
    let mut nan = good.clone();
    nan[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(message(&nan, "a.stl").starts_with("a.stl: byte 96: a coordinate is [NaN, "));
    let mut none = good[..84].to_vec();
    none[80..84].fill(0);
    assert_eq!(message(&none, "a.stl"), "a.stl: the mesh has no triangles");
}

#[test]
fn malformed_binary_gltf_is_refused() {
    let good = file("meshes/wedge.glb").unwrap();
    // The length of the first chunk, after three words of the header and two of its own.
    let end = 20 + u32::from_le_bytes(good[12..16].try_into().unwrap());
    assert_eq!(
        message(&good[..100], "a.glb"),
        format!("a.glb: byte 100: the file has 100 bytes where {end} are needed; it is truncated")
    );
    assert!(message(&good[..16], "a.glb").contains("truncated"));
    let short = &good[..good.len() - 20];
    assert!(message(short, "a.glb").contains("truncated"));
}

#[test]
fn bytes_that_are_not_text_are_refused_with_their_place() {
    let error =
        read_urdf(b"<robot name=\"r\">\n  \xff\n</robot>", "a.urdf", UrdfBase::Fixed, &file);
    assert_eq!(
        error.unwrap_err().to_string(),
        "a.urdf:2:3: the file is not text in UTF-8; save it in that encoding"
    );
}

#[test]
fn deep_nesting_and_endless_lists_end_in_an_error() {
    let deep = format!("<mujoco><worldbody>{}", "<body>".repeat(1_000_000));
    let error = read_mjcf(deep.as_bytes(), "deep.xml", &file).unwrap_err();
    assert!(error.to_string().contains("nested deeper than 256"), "{error}");
    let closed =
        format!("<mujoco>{}{}</mujoco>", "<worldbody>".repeat(300), "</worldbody>".repeat(300));
    let error = read_mjcf(closed.as_bytes(), "deep.xml", &file).unwrap_err();
    assert!(error.to_string().contains("nested deeper than 256"), "{error}");
    let many = format!("<robot name='r'>{}</robot>", "<link/>".repeat(600_000));
    let error = read_urdf(many.as_bytes(), "many.urdf", UrdfBase::Fixed, &file).unwrap_err();
    assert!(error.to_string().contains("more than 500000 elements"), "{error}");
}

#[test]
fn large_files_take_time_in_proportion() {
    let begin = std::time::Instant::now();
    let attributes: String = (0..300_000).map(|k| format!(" a{k}='1'")).collect();
    let text = format!("<robot{attributes}/>");
    let error = read_urdf(text.as_bytes(), "wide.urdf", UrdfBase::Fixed, &file).unwrap_err();
    assert!(error.to_string().contains("more than 256 attributes"), "{error}");
    // A chain in which every joint follows the one before it, and a loop beside it.
    let limit = "<limit lower='0' upper='1' effort='1' velocity='1'/>";
    let mut text = String::from("<robot name='r'><link name='l0'/>");
    for k in 1..20_000 {
        let mimic = if k > 1 { format!("<mimic joint='j{}'/>", k - 1) } else { String::new() };
        let parent = k - 1;
        text += &format!(
            "<link name='l{k}'/><joint name='j{k}' type='revolute'><parent link='l{parent}'/><child link='l{k}'/>{limit}{mimic}</joint>"
        );
    }
    let good = text.clone() + "</robot>";
    assert!(read_urdf(good.as_bytes(), "long.urdf", UrdfBase::Fixed, &file).is_ok());
    text += "<link name='x'/><link name='y'/><joint name='p' type='fixed'><parent link='x'/><child link='y'/></joint>";
    text += "<joint name='q' type='fixed'><parent link='y'/><child link='x'/></joint></robot>";
    let error = read_urdf(text.as_bytes(), "long.urdf", UrdfBase::Fixed, &file).unwrap_err();
    assert!(error.to_string().contains("`x`, `y` form a loop"), "{error}");
    assert!(begin.elapsed() < std::time::Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn a_file_that_includes_itself_is_refused() {
    let text = "<mujoco><include file='a.xml'/></mujoco>";
    let itself = |_: &str| Ok(text.as_bytes().to_vec());
    let error = read_mjcf(text.as_bytes(), "a.xml", &itself).unwrap_err();
    assert!(error.to_string().contains("`a.xml` is included a second time"), "{error}");
}

#[test]
fn every_known_mesh_format_reads_references_of_all_kinds() {
    let text = "mtllib x\nv 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1 \\\n 3//1\nf -3 -1 -2 # back\n";
    let mesh = read_mesh(text.as_bytes(), "a.obj", &file).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 1]]);
    assert_eq!(mesh.open_edges(), 0);
}
