interface Line {
  readonly values: readonly (number | null)[];
}

/** Orders series so that the first is drawn last and is on top where lines meet. A series that is always zero goes to the bottom. */
export function inOrderOfDrawing<T extends Line>(lines: readonly T[]): readonly T[] {
  const isFlat = ({ values }: Line) => values.every((value) => !value);
  return [...lines.filter(isFlat), ...lines.filter((line) => !isFlat(line)).toReversed()];
}
