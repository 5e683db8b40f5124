interface Line {
  readonly values: readonly (number | null)[];
}

/**
 * Where lines meet, the one that is named first is seen: it is drawn last. One that never leaves zero says nothing there, and is
 * under all others.
 */
export function inOrderOfDrawing<T extends Line>(lines: readonly T[]): readonly T[] {
  const isFlat = ({ values }: Line) => values.every((value) => !value);
  return [...lines.filter(isFlat), ...lines.filter((line) => !isFlat(line)).toReversed()];
}
