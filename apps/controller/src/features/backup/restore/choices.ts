import { failBackup, type RESTORE_SECTIONS, type RestoreChoices } from '@flotilla/contract';
import type { Decided, Judged, RecordChoice } from './standing.ts';

export type Section = (typeof RESTORE_SECTIONS)[number];

interface Exception {
  readonly choice: RecordChoice;
  readonly name: string | undefined;
}

/** Says of each record what is done with it, by the nearest choice that was made. */
export class Chooser {
  readonly #choices: RestoreChoices;
  readonly #exceptions = new Map<string, Exception>();
  /** Exceptions that no record was found for yet. */
  readonly #waiting = new Map<string, { readonly section: Section; readonly record: string }>();

  /** Throws backup.choice_refused for a record that is named twice. */
  constructor(choices: RestoreChoices) {
    this.#choices = choices;
    for (const { section, record, choice, name } of choices.by_record ?? []) {
      const key = keyOf(section, record);
      if (this.#exceptions.has(key)) throw refuse(section, record, 'it is named twice');
      if (choice !== 'rename' && name !== undefined)
        throw refuse(section, record, 'only what is renamed gets another name');
      if (choice === 'rename' && (section === 'settings' || section === 'permissions'))
        throw refuse(section, record, `${section} cannot be renamed`);
      this.#exceptions.set(key, { choice, name });
      this.#waiting.set(key, { section, record });
    }
  }

  /** Throws backup.choice_refused for a record that is named by its name and by its id. */
  decide<T>(section: Section, judged: readonly Judged<T>[]): Decided<T>[] {
    const { on_conflict: everywhere, by_section: sections } = this.#choices;
    const general = sections?.[section] ?? everywhere;
    return judged.map((one) => {
      const own = this.#exceptionFor(section, one);
      if (one.standing.is !== 'other') return { ...one, choice: undefined, as: undefined };
      return { ...one, choice: own?.choice ?? general, as: own?.name };
    });
  }

  /** Of a record that gets another name. */
  nameOf({ as }: Decided<unknown>, before: string): string {
    return as ?? `${before}${this.#choices.suffix}`;
  }

  /** Throws backup.choice_refused for an exception whose record is not in the backup, or is not taken from it: there is nothing to do it with. */
  requireAllFound(): void {
    for (const { section, record } of this.#waiting.values())
      throw refuse(section, record, 'it is not among what this backup would restore');
  }

  #exceptionFor(section: Section, { name, before = name, item }: Judged<unknown>): Exception | undefined {
    const [byName, byId] = [keyOf(section, plainName(name)), keyOf(section, item.from)];
    const found = [...new Set([keyOf(section, name), keyOf(section, before), byName, byId])].filter((key) =>
      this.#exceptions.has(key),
    );
    if (found.length > 1) throw refuse(section, name, 'it is named twice');
    const [key = ''] = found;
    this.#waiting.delete(key);
    return this.#exceptions.get(key);
  }
}

export const SWITCHED_OFF = ' (switched off)';

function plainName(name: string): string {
  return name.endsWith(SWITCHED_OFF) ? name.slice(0, -SWITCHED_OFF.length) : name;
}

function keyOf(section: Section, record: string): string {
  return `${section} ${record}`;
}

/** All of a section at once. Throws backup.choice_refused where there are any. */
export function refuseAll(
  section: Section,
  all: readonly { readonly record: string; readonly reason: string }[],
): void {
  const [first, ...others] = all;
  if (!first) return;
  const told = others.slice(0, TOLD_MAX).map(({ record, reason }) => `${record}: ${reason}`);
  const more = others.length > TOLD_MAX ? [`and ${others.length - TOLD_MAX} more`] : [];
  throw refuse(section, first.record, [first.reason, ...told, ...more].join('; '));
}

const TOLD_MAX = 20;

export function refuse(section: Section, record: string, reason: string): Error {
  return failBackup('backup.choice_refused', { section, record, reason });
}
