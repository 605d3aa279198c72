// Tests of runs that are watched while they go on.

export function live() {
  return [];
}
