"""Takes a world through time with another program.

Usage: worlds PROGRAM, with PROGRAM one of mujoco, drake, dart, bullet, siconos, and a JSON object on its input as `lab
peers` writes it:

  world   bodies with shapes, in world axes
  dt      the step
  steps   how many
  tight   whether iterations and tolerances go as far as the program lets them, instead of its own settings
  states  a file for the state after each step; null for none

Each state of that file is a row of numbers of 64 bits, little end first: the time of the processor in s that the step
took, then q and u. Without a file the output is a JSON object with q and u at the end: q has seven numbers per body
(position, quaternion w x y z), and u six (velocity of the centre, angular velocity, world axes). What cannot be handed
over is answered by `refused`, with the reason. `worlds PROGRAM version` prints the version.
"""

import importlib
import json
import struct
import sys
import time

from shared import Refused


def main():
    program = importlib.import_module(f"by_{sys.argv[1]}")
    if sys.argv[2:] == ["version"]:
        print(program.version())
        return
    asked = json.load(sys.stdin)
    try:
        step, state = program.prepare(asked["world"], asked["dt"], asked["tight"])
    except Refused as why:
        print(json.dumps({"refused": str(why)}))
        return
    if asked["states"] is None:
        for number in range(asked["steps"]):
            step(number)
        q, u = state()
        print(json.dumps({"q": [float(x) for x in q], "u": [float(x) for x in u]}))
        return
    with open(asked["states"], "wb") as file:
        for number in range(asked["steps"]):
            begin = time.process_time()
            step(number)
            spent = time.process_time() - begin
            q, u = state()
            row = [spent, *q, *u]
            file.write(struct.pack(f"<{len(row)}d", *row))
            file.flush()


if __name__ == "__main__":
    main()
