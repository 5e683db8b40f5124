export function flag(condition: boolean): number {
  return condition ? 1 : 0;
}

export function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

export function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
