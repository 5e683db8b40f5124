import type { RestoreChoices, RestorePlan } from '@flotilla/contract';
import { toWord } from '../../../ui/to-word.ts';

type Conflict = RestorePlan['conflicts'][number];
type Choice = Conflict['choice'];
type Section = NonNullable<RestoreChoices['by_record']>[number]['section'];

// The schemas stay out of the browser, and with them their lists: a test holds these to them.
const CHOICES: readonly Choice[] = ['skip', 'replace', 'rename'];
/** Whether its records can be brought beside those of here. */
const SECTIONS: Readonly<Record<Section, boolean>> = {
  documents: true,
  policies: true,
  services: true,
  settings: false,
  groups: true,
  permissions: false,
  schedules: true,
};
const RENAME_SUFFIX = '-restored';

/** What is chosen for a record whose name is taken. */
export interface Exception {
  readonly choice: Choice;
  /** Of one that is made beside what is here. */
  readonly name: string;
}

/** As the plan has it, with the name that it would get where it is renamed. */
export function readException({ name, choice, as }: Conflict): Exception {
  return { choice, name: as === undefined ? `${bareName(name)}${RENAME_SUFFIX}` : bareName(as) };
}

/** Whether it is another choice than that of the plan. */
export function isException(chosen: Exception, conflict: Conflict | undefined): boolean {
  if (!conflict) return false;
  const planned = readException(conflict);
  return chosen.choice !== planned.choice || (chosen.choice === 'rename' && chosen.name !== planned.name);
}

/** Filters, virtual hosts and what has no name of its own are kept or replaced; one that goes with another has no choice. */
export function listChoices({ kind, name, choice: planned }: Conflict): readonly Choice[] {
  const section = toSection(kind);
  const isNamed = section !== undefined && SECTIONS[section];
  const isBound = kind === 'documents' && /^[^/]+\/(?:filters|virtual_hosts)\//.test(name);
  if (isBound && planned === 'rename') return [planned];
  return CHOICES.filter((choice) => choice !== 'rename' || (isNamed && !isBound));
}

type General = Partial<Pick<RestoreChoices, 'on_conflict' | 'by_section' | 'suffix'>>;

/** As a request names them, in the order of the plan: those of which something else is chosen than `general` says. */
export function toRecords(conflicts: readonly Conflict[], chosen: readonly Exception[], general: General) {
  return conflicts.flatMap((conflict, i) => {
    const section = toSection(conflict.kind);
    const { choice, name } = chosen[i] ?? readException(conflict);
    if (!section || listChoices(conflict).length === 1) return [];
    const usual = general.by_section?.[section] ?? general.on_conflict ?? 'skip';
    const usualName = `${bareName(conflict.name)}${general.suffix ?? RENAME_SUFFIX}`;
    if (choice === usual && (choice !== 'rename' || name === usualName)) return [];
    return [{ section, record: conflict.name, choice, ...(choice === 'rename' && { name }) }];
  });
}

/** Those that hold every word of `search`, in their kind or their name, with their places in the plan. */
export function findFitting(conflicts: readonly Conflict[], search: string) {
  const words = search.toLowerCase().split(/\s+/);
  return conflicts.flatMap((conflict, at) => {
    const shown = `${toWord(conflict.kind)} ${conflict.name} ${conflict.as ?? ''}`.toLowerCase();
    return words.every((word) => shown.includes(word)) ? [{ conflict, at }] : [];
  });
}

/** Of a document: without its version and collection; of a schedule: without the word behind it. */
function bareName(shown: string): string {
  return shown.replace(/ \(switched off\)$/, '').replace(/^.*\//, '');
}

function toSection(kind: string): Section | undefined {
  return (Object.keys(SECTIONS) as Section[]).find((one) => one === kind);
}
