import type { SearchItem } from '@flotilla/contract';
import { routes } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { type Destination, INSTALLATION, PROJECT_AREAS } from '../destinations.ts';
import { INSTALLATION_SECTIONS, PROJECT_SECTIONS, type SettingsSection } from '../settings/sections.ts';

const wording = texts.shell.entries;

/** Commands that the palette runs itself. */
export type Command = 'theme-light' | 'theme-dark' | 'theme-auto' | 'sign-out' | 'open-api';

/** A line of the palette: a place or an action. */
export type Entry = {
  readonly id: string;
  readonly label: string;
  /** Kind of the entry, or where it leads. */
  readonly kind: string;
  /** Its heading while the input is empty. */
  readonly group: Group;
  readonly detail?: string;
  readonly words?: string;
} & (Target | { readonly run: Command });

/** In display order. */
export const GROUPS = ['places', 'actions', 'account', 'names', 'settings'] as const;
export type Group = (typeof GROUPS)[number];

interface Target {
  readonly to: string;
  readonly params: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string>>;
}

interface ActionSpec extends Destination {
  readonly search?: Readonly<Record<string, string>>;
}

/** For every signed-in user. */
const ACCOUNT: readonly { readonly label: string; readonly words: string; readonly run: Command }[] = [
  { label: wording.account.light, words: wording.account.themeFinds, run: 'theme-light' },
  { label: wording.account.dark, words: wording.account.themeFinds, run: 'theme-dark' },
  { label: wording.account.auto, words: wording.account.themeFinds, run: 'theme-auto' },
  { label: wording.account.signOut, words: wording.account.signOutFinds, run: 'sign-out' },
  { label: wording.account.openApi, words: wording.account.openApiFinds, run: 'open-api' },
];

const ACCOUNT_PLACES: readonly ActionSpec[] = [
  {
    label: wording.account.profile,
    to: '/profile',
    needs: routes.profile.get,
    words: wording.account.profileFinds,
  },
  {
    label: wording.account.secondFactor,
    to: '/profile',
    needs: routes.secondFactor.status,
    words: wording.account.secondFactorFinds,
  },
  {
    label: wording.actions.changePassword,
    to: '/profile',
    needs: routes.profile.changePassword,
    words: wording.actions.changePasswordFinds,
  },
];

const ACTIONS: readonly ActionSpec[] = [
  {
    label: wording.actions.createService,
    to: '/p/$project/services/new',
    needs: routes.service.create,
    words: wording.actions.createServiceFinds,
  },
  {
    label: wording.actions.enrolClient,
    to: '/p/$project/clients',
    search: { enrol: 'new' },
    needs: routes.enrolment.createToken,
    words: wording.actions.enrolClientFinds,
  },
  {
    label: wording.actions.createPolicy,
    to: '/p/$project/policies/new',
    needs: routes.policy.create,
    words: wording.actions.createPolicyFinds,
  },
  {
    label: wording.actions.tryRequest,
    to: '/p/$project/shield/try',
    needs: routes.shieldTrial.try,
    words: wording.actions.tryRequestFinds,
  },
  ...(
    [
      ['listeners', wording.actions.listener],
      ['routes', wording.actions.routeConfiguration],
      ['virtual_hosts', wording.actions.virtualHost],
      ['clusters', wording.actions.cluster],
      ['endpoints', 'endpoints'],
      ['secrets', wording.actions.secret],
      ['filters', wording.actions.filter],
      ['extensions', wording.actions.extension],
      ['bootstrap', wording.actions.bootstrap],
    ] as const
  ).map(([collection, noun]) => ({
    label: wording.actions.createDocument(noun),
    to: '/p/$project/resources/$collection/new' as const,
    params: { collection },
    needs: routes.xds.create,
    words: wording.actions.createDocumentFinds,
  })),
  {
    label: wording.actions.addUser,
    to: '/p/$project/users',
    search: { add: 'member' },
    needs: routes.user.addMember,
    words: wording.actions.addUserFinds,
  },
  {
    label: wording.actions.createToken,
    to: '/p/$project/tokens',
    search: { create: 'token' },
    needs: routes.apiToken.create,
    words: wording.actions.createTokenFinds,
  },
  {
    label: wording.actions.createProject,
    to: '/projects',
    search: { create: 'project' },
    needs: routes.project.create,
    words: wording.actions.createProjectFinds,
  },
  {
    label: wording.actions.certificates,
    to: '/p/$project/resources/$collection',
    params: { collection: 'secrets' },
    needs: routes.xds.list,
    words: wording.actions.certificatesFinds,
  },
];

/** Every page of the settings by its own name. */
const toPlaces = (to: '/settings/$section' | '/p/$project/settings/$section', sections: readonly SettingsSection[]) =>
  sections.map(({ id, label, needs, words }) => ({
    label: `${to === '/settings/$section' ? wording.toPlaces.settings : wording.toPlaces.projectSettings}: ${label}`,
    to,
    params: { section: id },
    needs,
    words: wording.toPlaces.settingsFinds(words ?? ''),
  }));

/** Places and actions that match the text and the user's rights; all of them for an empty text. */
export function findEntries(
  text: string,
  project: string | undefined,
  can: (route: Destination['needs']) => boolean,
): Entry[] {
  const areas = PROJECT_AREAS.flatMap(({ destinations }) => destinations);
  const { goTo, action } = wording.findEntries;
  const settings = [
    ...(project === undefined ? [] : toPlaces('/p/$project/settings/$section', PROJECT_SECTIONS)),
    ...toPlaces('/settings/$section', INSTALLATION_SECTIONS),
  ];
  const here = (place: ActionSpec) => project !== undefined || !String(place.to).startsWith('/p/');
  const inGroup = (kind: string, group: Group) => (place: ActionSpec) => ({ place, kind, group });
  const named = [
    ...[...areas, ...INSTALLATION].filter(here).map(inGroup(goTo, 'places')),
    ...ACTIONS.filter(here).map(inGroup(action, 'actions')),
    ...ACCOUNT_PLACES.map(inGroup(goTo, 'account')),
    ...settings.map(inGroup(goTo, 'settings')),
  ];
  const commands = ACCOUNT.map((command): Entry => ({ id: command.run, kind: action, group: 'account', ...command }));
  const entries = named.filter(({ place }) => can(place.needs)).map((one) => toEntry(one.place, one, project));
  const firstSetting = entries.findIndex(({ group }) => group === 'settings');
  const at = firstSetting === -1 ? entries.length : firstSetting;
  return entries.toSpliced(at, 0, ...commands).filter((entry) => fits(entry, text));
}

function toEntry(spec: ActionSpec, { kind, group }: Pick<Entry, 'kind' | 'group'>, project: string | undefined): Entry {
  return {
    id: `${kind} ${spec.label}`,
    label: spec.label,
    kind,
    group,
    ...(spec.words && { words: spec.words }),
    to: String(spec.to),
    params: { ...(project !== undefined && { project }), ...spec.params },
    ...(spec.search && { search: spec.search }),
  };
}

/** Every typed word begins some word of the entry. */
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
 * With text, exact matches of names come first, because that is what people type; then places and actions, then similar
 * names. Operations on services precede places. Without text: by group. Drops results of an earlier text that do not
 * match: typing fast and pressing Enter must not open something else.
 */
export function arrange(
  found: readonly SearchItem[],
  places: readonly Entry[],
  { text, project, operations = [] }: { text: string; project: string | undefined; operations?: readonly Entry[] },
): readonly Entry[] {
  if (project === undefined) return places;
  const typed = text.trim().toLowerCase();
  const toEntries = (items: readonly SearchItem[]) => items.flatMap((item) => fromSearchItem(item, project) ?? []);
  const holding = found.filter(({ name }) => name.toLowerCase().includes(typed));
  const alike = found.filter(({ name, rank }) => rank === 3 && !name.toLowerCase().includes(typed));
  const entries = typed
    ? [...toEntries(holding), ...operations, ...places, ...toEntries(alike)]
    : [...places, ...toEntries(found)].toSorted((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group));
  return entries.slice(0, ENTRIES_SHOWN_MAX);
}

/** Page of a search result. */
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
