import { RECORD_CHOICES, RESTORE_SECTIONS, restoreChoicesSchema } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';

export interface ChoiceOptions {
  readonly replace?: boolean;
  /** `services=rename` */
  readonly section?: readonly string[];
  /** `policies/guard=rename:guard-2` */
  readonly record?: readonly string[];
  readonly suffix?: string;
  readonly withMembers?: boolean;
}

type Section = (typeof RESTORE_SECTIONS)[number];
type Choice = (typeof RECORD_CHOICES)[number];

/** The choices of a restore as its requests carry them. Throws with the usage's code for what is none. */
export function readChoices({ replace, section, record, suffix, withMembers }: ChoiceOptions) {
  const records = (record ?? []).map((one) => readRecord(one));
  const choice: 'skip' | 'replace' = replace ? 'replace' : 'skip';
  return {
    on_conflict: choice,
    ...(section !== undefined && { by_section: readSections(section) }),
    ...(records.length > 0 && { by_record: records }),
    ...(suffix !== undefined && { suffix }),
    ...(withMembers && { with_members: true }),
  };
}

function readSections(given: readonly string[]) {
  const choices = given.map((one): [Section, Choice] => {
    const { before, after } = split(one, one.indexOf('='));
    return [sectionOf(before, one), choiceOf(after, one)];
  });
  const read = restoreChoicesSchema.shape.by_section.safeParse(Object.fromEntries(choices));
  if (read.success) return read.data;
  throw new CliFailure(EXIT.usage, `${given.join(' ')}: settings and permissions cannot be renamed.`);
}

function readRecord(given: string) {
  // Names hold slashes and colons; the choice is what follows the last equals sign.
  const { before, after } = split(given, given.lastIndexOf('='));
  const { before: section, after: record } = split(before, before.indexOf('/'));
  const colon = after.indexOf(':');
  const choice = choiceOf(colon < 0 ? after : after.slice(0, colon), given);
  const name = colon < 0 ? {} : { name: after.slice(colon + 1) };
  return { section: sectionOf(section, given), record, choice, ...name };
}

function split(text: string, at: number): { before: string; after: string } {
  return at < 0 ? { before: text, after: '' } : { before: text.slice(0, at), after: text.slice(at + 1) };
}

function sectionOf(word: string, given: string): Section {
  const found = RESTORE_SECTIONS.find((one) => one === word);
  if (found) return found;
  throw new CliFailure(EXIT.usage, `${given}: ${word} is none of ${RESTORE_SECTIONS.join(', ')}.`);
}

function choiceOf(word: string, given: string): Choice {
  const found = RECORD_CHOICES.find((one) => one === word);
  if (found) return found;
  throw new CliFailure(EXIT.usage, `${given}: say =${RECORD_CHOICES.join(', =')} behind it.`);
}
