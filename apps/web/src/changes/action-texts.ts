import { auditWords } from '../api/call.ts';

/** The words for regular actions: `group.update` is `change group`. */
const VERBS: Readonly<Record<string, string>> = {
  create: 'create',
  delete: 'delete',
  replace: 'change',
  restore: 'restore',
  rotate: 'rotate',
  update: 'change',
  upload: 'upload',
};

const IRREGULAR: Readonly<Record<string, string>> = {
  hold: 'held',
  rebuild: 'rebuilt',
  send: 'sent',
  set: 'set',
  withdraw: 'withdrew',
};

const DOUBLED: ReadonlySet<string> = new Set(['cancel', 'enrol', 'plan']);

const OWN: ReadonlySet<string> = new Set(auditWords.own);

function inPast(words: string): string {
  return words.replace(/^\w+|(?<= or )\w+/g, (verb) => {
    const irregular = IRREGULAR[verb];
    if (irregular) return irregular;
    if (verb.endsWith('e')) return `${verb}d`;
    if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`;
    return DOUBLED.has(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
  });
}

function noun(type: string): string {
  return auditWords.nouns[type] ?? type.replaceAll('_', ' ');
}

/** `newer.thing_done` -> `newer thing done`, `listAuditLog` -> `list audit log`. */
function spell(action: string): string {
  return action
    .replaceAll(/[._]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
}

function regular(action: string): string | undefined {
  const [, object = '', verb = ''] = /^(\w+)\.(\w+)$/.exec(action) ?? [];
  return VERBS[verb] && `${VERBS[verb]} ${noun(object)}`;
}

function words(action: string, type: string | null | undefined): string | undefined {
  return (auditWords.actions[action] ?? regular(action))?.replace(/\{(.+)\}/, (_, unknown: string) =>
    type ? noun(type) : unknown,
  );
}

/** Labels of actions of the audit log. `type`: the kind of the object, if the entry names it. */
export const auditActions = {
  noun,
  /** `create service`: also for refused actions. An action without a label is spelled like its code. */
  toDo: (action: string, type?: string | null): string => words(action, type) ?? spell(action),
  /** `created service` */
  did: (action: string, type?: string | null): string => {
    const known = words(action, type);
    return known === undefined ? spell(action) : inPast(known);
  },
  isOwn: (action: string): boolean => OWN.has(action),
};
