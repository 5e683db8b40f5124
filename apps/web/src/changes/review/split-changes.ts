import type { Difference } from '../plan.ts';

/** Lists a created or deleted record by its members, without the empty ones. */
export function listMembers(diff: readonly Difference[]): readonly Difference[] {
  return diff.flatMap((one) => {
    const whole = one.path === '' ? (one.after ?? one.before) : undefined;
    if (one.change === 'changed' || !isRecord(whole)) return [one];
    return Object.entries(whole)
      .filter(([, value]) => !isEmpty(value))
      .map(
        ([path, value]): Difference =>
          one.change === 'added' ? { path, change: 'added', after: value } : { path, change: 'removed', before: value },
      );
  });
}

/** Returns the differences in other members. undefined: there are no others. */
export function outsideMembers(
  diff: readonly Difference[],
  members: readonly string[] | undefined,
): readonly Difference[] {
  if (!members) return [];
  return diff.filter(({ path }) => !members.some((member) => isWithin(path, member)));
}

function isWithin(path: string, member: string): boolean {
  return path === member || path.startsWith(`${member}.`) || path.startsWith(`${member}[`);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
