"""Writes the meshes of the models: python3 make_meshes.py. Standard library only; the same bytes each time."""

import base64
import json
import pathlib
import struct

OUT = pathlib.Path(__file__).parent.parent / "models" / "meshes"

# A box with one bevelled edge: the profile in x and z, from -d to d in y. Faces anticlockwise from outside.
PROFILE = [(-0.06, -0.02), (0.08, -0.02), (0.08, 0.01), (0.03, 0.03), (-0.06, 0.03)]


def prism(profile, depth, unit=1.0):
    n = len(profile)
    vertices = [(x * unit, y * unit, z * unit) for y in (-depth, depth) for x, z in profile]
    front = [[0, k, k + 1] for k in range(1, n - 1)]
    back = [[n, n + k + 1, n + k] for k in range(1, n - 1)]
    sides = []
    for k in range(n):
        l = (k + 1) % n
        sides += [[k, n + k, n + l], [k, n + l, l]]
    return vertices, front + back + sides


def binary_stl(path, vertices, triangles):
    data = b"made by make_meshes.py".ljust(80, b"\0") + struct.pack("<I", len(triangles))
    for triangle in triangles:
        data += struct.pack("<3f", 0, 0, 0)
        for k in triangle:
            data += struct.pack("<3f", *vertices[k])
        data += b"\0\0"
    path.write_bytes(data)


def text_stl(path, vertices, triangles):
    lines = ["solid corner"]
    for triangle in triangles:
        lines += ["  facet normal 0 0 0", "    outer loop"]
        lines += ["      vertex {} {} {}".format(*vertices[k]) for k in triangle]
        lines += ["    endloop", "  endfacet"]
    path.write_text("\n".join(lines + ["endsolid corner", ""]))


def obj(path, vertices):
    """The wedge with its polygons whole, one of them with indices from the end."""
    n = len(vertices) // 2
    lines = ["# a wedge", "o wedge"] + ["v {} {} {}".format(*v) for v in vertices]
    lines.append("f " + " ".join(str(k + 1) for k in range(n)))
    lines.append("f " + " ".join(str(-1 - k) for k in range(n)))
    for k in range(n):
        l = (k + 1) % n
        lines.append(f"f {k + 1} {n + k + 1} {n + l + 1} {l + 1}")
    path.write_text("\n".join(lines) + "\n")


def gltf(vertices, triangles):
    """Indices as bytes, then vertices, under a node that turns y to z."""
    indices = bytes(k for triangle in triangles for k in triangle)
    padding = b"\0" * (-len(indices) % 4)
    points = b"".join(struct.pack("<3f", *v) for v in vertices)
    data = indices + padding + points
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [1]}],
        "nodes": [{"mesh": 0, "translation": [0, 0, 0.01]}, {"children": [0], "rotation": [0.7071067811865476, 0, 0, 0.7071067811865476]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 1}, "indices": 0}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5121, "count": len(indices), "type": "SCALAR"},
            {"bufferView": 1, "componentType": 5126, "count": len(vertices), "type": "VEC3"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(indices)},
            {"buffer": 0, "byteOffset": len(indices) + len(padding), "byteLength": len(points)},
        ],
        "buffers": [{"byteLength": len(data)}],
    }
    return document, data


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    wedge = prism(PROFILE, 0.04)
    binary_stl(OUT / "prism.stl", *prism(PROFILE, 0.04, 1000.0))
    corner = [(0, 0, 0), (0.1, 0, 0), (0, 0.06, 0), (0.01, 0.01, -0.3)]
    faces = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]
    binary_stl(OUT / "corner.stl", corner, faces)
    text_stl(OUT / "corner_text.stl", corner, faces)
    obj(OUT / "wedge.obj", wedge[0])
    document, data = gltf(*wedge)
    chunk = json.dumps(document).encode()
    chunk += b" " * (-len(chunk) % 4)
    body = struct.pack("<I4s", len(chunk), b"JSON") + chunk + struct.pack("<I4s", len(data), b"BIN\0") + data
    (OUT / "wedge.glb").write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body)
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    (OUT / "wedge.gltf").write_text(json.dumps(document, indent=1) + "\n")


main()
