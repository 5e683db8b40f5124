import type { FindingSkip, SelectedGroup, Skip, SkipReason } from './plan.ts';

const TEXTS: Readonly<Record<SkipReason, string>> = {
  unknown: 'not in the inventory',
  not_confirmed: 'only probes asked for it',
  other: 'counts everything beyond the limit of the inventory',
  host: 'no policy can name the host',
  path: 'no route can match exactly this path',
  protocol: 'no HTTP',
  nothing_to_do: 'no flag and no anonymous request asks for a rule',
};

const FINDING_TEXTS: Readonly<Record<FindingSkip['reason'], string>> = {
  unknown: 'not found',
  closed: 'closed',
  gone: 'without an operation',
};

/** Unknown paths that are named one by one. */
const GROUPS_NAMED = 10;

interface Explained {
  readonly reason: string;
  readonly text: string;
}

/** Counts the operations that were left out, by reason. */
export function explainSkips(skipped: readonly Skip[]): Explained[] {
  return countReasons('operation', skipped, TEXTS);
}

/** Counts the findings that were left out, by reason. */
export function explainFindingSkips(skipped: readonly FindingSkip[]): Explained[] {
  return countReasons('finding', skipped, FINDING_TEXTS);
}

/** Names the paths of a selection that no operation has or had. */
export function explainUnknownGroups(groups: readonly SelectedGroup[]): string[] {
  const named = groups
    .slice(0, GROUPS_NAMED)
    .map(
      ({ host, normalized_path: path }) =>
        `${host}${path} is left out: no confirmed operation has this path, and none is known that had it.`,
    );
  const others = groups.length - named.length;
  return others > 0 ? [...named, `${others} more paths are left out for the same reason.`] : named;
}

function countReasons<Reason extends string>(
  what: string,
  skipped: readonly { readonly reason: Reason }[],
  texts: Readonly<Record<Reason, string>>,
): Explained[] {
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, { length }]) => ({
    reason,
    text: `${length} ${what}${length === 1 ? '' : 's'} (${texts[reason]})`,
  }));
}
