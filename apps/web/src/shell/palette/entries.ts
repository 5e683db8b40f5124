import type { SearchItem } from '@flotilla/contract';
import type { Action, Destination, SettingsPage } from '../../app/screens.ts';
import { ALL_SCREENS } from '../all-screens.ts';
import { ALL_LINKS, isOpenable } from '../destinations.ts';
import { INSTALLATION_SECTIONS, PROJECT_SECTIONS } from '../settings/sections.ts';
import { texts } from '../texts.tsx';

const wording = texts.entries;

/** Commands that the palette runs itself. */
export type Command = 'theme-light' | 'theme-dark' | 'theme-auto' | 'sign-out' | 'shortcuts' | 'open-api';

/** One row of the palette: a place or an action. */
export type Entry = {
  readonly id: string;
  readonly label: string;
  /** Kind of a named object. */
  readonly kind?: string;
  /** Heading that the entry appears under. */
  readonly group: Group;
  readonly detail?: string;
  readonly words?: string;
} & (Target | { readonly run: Command });

/** In display order, without and with text. */
const GROUPS = {
  browsing: ['places', 'actions', 'account', 'names', 'settings'],
  searching: ['names', 'actions', 'places', 'account', 'settings', 'similar'],
} as const;
export type Group = (typeof GROUPS)[keyof typeof GROUPS][number];

interface Target {
  readonly to: string;
  readonly params: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string>>;
}

/** Entries for every signed-in user. */
const ACCOUNT: readonly { readonly label: string; readonly words: string; readonly run: Command }[] = [
  { label: wording.account.light, words: wording.account.themeFinds, run: 'theme-light' },
  { label: wording.account.dark, words: wording.account.themeFinds, run: 'theme-dark' },
  { label: wording.account.auto, words: wording.account.themeFinds, run: 'theme-auto' },
  { label: wording.account.signOut, words: wording.account.signOutFinds, run: 'sign-out' },
  { label: wording.account.shortcuts, words: wording.account.shortcutsFinds, run: 'shortcuts' },
  { label: wording.account.openApi, words: wording.account.openApiFinds, run: 'open-api' },
];

const ACTIONS = ALL_SCREENS.flatMap(({ actions = [] }) => actions);

/** Turns every settings page into a place with its own name. */
const toPlaces = (to: '/settings/$section' | '/p/$project/settings/$section', sections: readonly SettingsPage[]) =>
  sections.map(({ id, label, needs, words }) => ({
    label: `${to === '/settings/$section' ? wording.toPlaces.settings : wording.toPlaces.projectSettings}: ${label}`,
    to,
    params: { section: id },
    needs,
    words: wording.toPlaces.settingsFinds(words ?? ''),
  }));

/** Finds the places and actions that match the text and the user's rights; all of them for an empty text. */
export function findEntries(
  text: string,
  project: string | undefined,
  can: (route: Destination['needs']) => boolean,
): Entry[] {
  const settings = [
    ...toPlaces('/p/$project/settings/$section', PROJECT_SECTIONS),
    ...toPlaces('/settings/$section', INSTALLATION_SECTIONS),
  ];
  const inGroup = (group: Group) => (place: Action) => ({ place, group });
  const named = [
    ...ALL_LINKS.map(inGroup('places')),
    ...ACTIONS.map((action) => ({
      place: action,
      group: action.isAboutAccount ? ('account' as const) : ('actions' as const),
    })),
    ...settings.map(inGroup('settings')),
  ];
  const commands = ACCOUNT.map((command): Entry => ({ id: command.run, group: 'account', ...command }));
  const entries = named
    .filter(({ place }) => isOpenable(place, { can, project }))
    .map(({ place, group }) => toEntry(place, group, project));
  return [...entries, ...commands].filter((entry) => fits(entry, text));
}

function toEntry(spec: Action, group: Group, project: string | undefined): Entry {
  return {
    id: `${group} ${spec.label}`,
    label: spec.label,
    group,
    ...(spec.words && { words: spec.words }),
    to: spec.to,
    params: { ...(project !== undefined && { project }), ...spec.params },
    ...(spec.search && { search: spec.search }),
  };
}

/** Whether every typed word is the beginning of some word of the entry. */
function fits(entry: Entry, text: string): boolean {
  const words = `${entry.label} ${entry.words ?? ''}`.toLowerCase().split(/\s+/);
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .every((typed) => words.some((word) => word.startsWith(typed)));
}

const ENTRIES_SHOWN_MAX = 100;

/**
 * Sorts the results by group. With text, names that contain it come first, because that is what people type; names that are only
 * similar come last. Drops results of an earlier text that do not match: typing fast and pressing Enter must not open something else.
 */
export function arrange(
  found: readonly SearchItem[],
  places: readonly Entry[],
  { text, project, operations = [] }: { text: string; project: string | undefined; operations?: readonly Entry[] },
): readonly Entry[] {
  const typed = text.trim().toLowerCase();
  const names = project === undefined ? [] : found.flatMap((item) => nameEntry(item, { typed, project }));
  const order: readonly Group[] = typed ? GROUPS.searching : GROUPS.browsing;
  return [...names, ...operations, ...places]
    .toSorted((a, b) => order.indexOf(a.group) - order.indexOf(b.group))
    .slice(0, ENTRIES_SHOWN_MAX);
}

const RANK_SIMILAR = 3;

function nameEntry(item: SearchItem, { typed, project }: { typed: string; project: string }): Entry[] {
  const holds = item.name.toLowerCase().includes(typed);
  if (!holds && item.rank !== RANK_SIMILAR) return [];
  const entry = fromSearchItem(item, project);
  return entry ? [{ ...entry, group: holds ? 'names' : 'similar' }] : [];
}

/** Converts a search result to an entry that opens its page. */
function fromSearchItem(item: SearchItem, project: string): Entry | undefined {
  const base = {
    id: `${item.kind} ${item.id}`,
    label: item.name,
    group: 'names' as const,
    ...(item.detail && { detail: item.detail }),
  };
  switch (item.kind) {
    case 'document':
      return {
        ...base,
        kind: item.collection ?? 'document',
        ...(item.version && { detail: item.version }),
        to: '/p/$project/resources/$collection/$version/$name',
        params: { project, collection: item.collection ?? '', version: item.version ?? '', name: item.name },
      };
    case 'policy':
      return { ...base, kind: 'policy', to: '/p/$project/policies/$name', params: { project, name: item.name } };
    case 'service':
      return {
        ...base,
        kind: 'service',
        to: '/p/$project/services/$serviceId',
        params: { project, serviceId: item.id },
      };
    case 'client':
      return { ...base, kind: 'client', to: '/p/$project/clients/$clientId', params: { project, clientId: item.id } };
    case 'user':
      return { ...base, kind: 'user', to: '/p/$project/users/$userId', params: { project, userId: item.id } };
    case 'project':
      return { ...base, kind: 'project', to: '/p/$project/overview', params: { project: item.name } };
  }
}
