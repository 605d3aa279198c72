//! The sensors of MJCF.

use crate::xml::schema::Known;

macro_rules! sensors {
    ($($constant:ident $name:literal $read:literal;)*) => {
        $(static $constant: Known = Known {
            name: $name,
            read: concat!("cutoff name noise ", $read),
            unsupported: "data delay interp interval nsample num reduce user",
            children: &[],
            left_out: "",
        };)*
        /// All kinds.
        pub(super) static SENSORS: [&Known; 47] = [$(&$constant),*];
    };
}

sensors! {
    TOUCH "touch" "site";
    ACCELEROMETER "accelerometer" "site";
    VELOCIMETER "velocimeter" "site";
    GYRO "gyro" "site";
    FORCE "force" "site";
    TORQUE "torque" "site";
    MAGNETOMETER "magnetometer" "site";
    CAMPROJECTION "camprojection" "camera site";
    RANGEFINDER "rangefinder" "camera site";
    JOINTPOS "jointpos" "joint";
    JOINTVEL "jointvel" "joint";
    TENDONPOS "tendonpos" "tendon";
    TENDONVEL "tendonvel" "tendon";
    ACTUATORPOS "actuatorpos" "actuator";
    ACTUATORVEL "actuatorvel" "actuator";
    ACTUATORFRC "actuatorfrc" "actuator";
    JOINTACTUATORFRC "jointactuatorfrc" "joint";
    TENDONACTUATORFRC "tendonactuatorfrc" "tendon";
    BALLQUAT "ballquat" "joint";
    BALLANGVEL "ballangvel" "joint";
    JOINTLIMITPOS "jointlimitpos" "joint";
    JOINTLIMITVEL "jointlimitvel" "joint";
    JOINTLIMITFRC "jointlimitfrc" "joint";
    TENDONLIMITPOS "tendonlimitpos" "tendon";
    TENDONLIMITVEL "tendonlimitvel" "tendon";
    TENDONLIMITFRC "tendonlimitfrc" "tendon";
    FRAMEPOS "framepos" "objname objtype refname reftype";
    FRAMEQUAT "framequat" "objname objtype refname reftype";
    FRAMEXAXIS "framexaxis" "objname objtype refname reftype";
    FRAMEYAXIS "frameyaxis" "objname objtype refname reftype";
    FRAMEZAXIS "framezaxis" "objname objtype refname reftype";
    FRAMELINVEL "framelinvel" "objname objtype refname reftype";
    FRAMEANGVEL "frameangvel" "objname objtype refname reftype";
    FRAMELINACC "framelinacc" "objname objtype";
    FRAMEANGACC "frameangacc" "objname objtype";
    SUBTREECOM "subtreecom" "body";
    SUBTREELINVEL "subtreelinvel" "body";
    SUBTREEANGMOM "subtreeangmom" "body";
    INSIDESITE "insidesite" "objname objtype site";
    DISTANCE "distance" "body1 body2 geom1 geom2";
    NORMAL "normal" "body1 body2 geom1 geom2";
    FROMTO "fromto" "body1 body2 geom1 geom2";
    CONTACT "contact" "body1 body2 geom1 geom2 site subtree1 subtree2";
    POTENTIAL "e_potential" "";
    KINETIC "e_kinetic" "";
    CLOCK "clock" "";
    TACTILE "tactile" "geom mesh";
}
