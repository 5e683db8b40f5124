import type { SearchItem } from '@flotilla/contract';
import { routes } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { type Destination, INSTALLATION, PROJECT_AREAS } from '../destinations.ts';
import { INSTALLATION_SECTIONS, PROJECT_SECTIONS, type SettingsSection } from '../settings/sections.ts';

const wording = texts.shell.entries;

/** A line of the palette: a place or an action. */
export interface Entry {
  readonly id: string;
  readonly label: string;
  /** What kind of thing it is, or where it leads. */
  readonly kind: string;
  readonly detail?: string;
  readonly words?: string;
  readonly to: string;
  readonly params: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string>>;
}

interface ActionSpec extends Destination {
  readonly search?: Readonly<Record<string, string>>;
}

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
    label: wording.actions.changePassword,
    to: '/profile',
    needs: routes.profile.changePassword,
    words: wording.actions.changePasswordFinds,
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

/** Places and actions that the user may go to and that fit what was typed; all of them for no text. */
export function findEntries(
  text: string,
  project: string | undefined,
  can: (route: Destination['needs']) => boolean,
): Entry[] {
  const areas = PROJECT_AREAS.flatMap(({ destinations }) => destinations);
  const inProject =
    project === undefined ? [] : [...areas, ...toPlaces('/p/$project/settings/$section', PROJECT_SECTIONS)];
  const ofInstallation = [...INSTALLATION, ...toPlaces('/settings/$section', INSTALLATION_SECTIONS)];
  const places = [...inProject, ...ofInstallation].map((place) => toEntry(place, wording.findEntries.goTo, project));
  const actions = ACTIONS.filter(({ to }) => project !== undefined || !String(to).startsWith('/p/'));
  return [...places, ...actions.map((action) => toEntry(action, wording.findEntries.action, project))]
    .filter(({ needs }) => can(needs))
    .map(({ entry }) => entry)
    .filter((entry) => fits(entry, text));
}

function toEntry(spec: ActionSpec, kind: string, project: string | undefined) {
  const entry: Entry = {
    id: `${kind} ${spec.label}`,
    label: spec.label,
    kind,
    ...(spec.words && { words: spec.words }),
    to: String(spec.to),
    params: { ...(project !== undefined && { project }), ...spec.params },
    ...(spec.search && { search: spec.search }),
  };
  return { entry, needs: spec.needs };
}

/** Every word that was typed begins some word of the entry. */
function fits(entry: Entry, text: string): boolean {
  const words = `${entry.label} ${entry.words ?? ''}`.toLowerCase().split(/\s+/);
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .every((typed) => words.some((word) => word.startsWith(typed)));
}

const ENTRIES_SHOWN_MAX = 60;

/**
 * With text, names that hold it come first: that is what people type; then places and actions, then names that are only
 * alike. Without text: places, then what changed lately. What was found for an earlier text and does not hold this one
 * is not offered: whoever types fast and presses Enter must not land elsewhere.
 */
export function arrange(
  found: readonly SearchItem[],
  places: readonly Entry[],
  { text, project }: { text: string; project: string | undefined },
): readonly Entry[] {
  if (project === undefined) return places;
  const typed = text.trim().toLowerCase();
  const toEntries = (items: readonly SearchItem[]) => items.flatMap((item) => fromSearchItem(item, project) ?? []);
  const holding = found.filter(({ name }) => name.toLowerCase().includes(typed));
  const alike = found.filter(({ name, rank }) => rank === 3 && !name.toLowerCase().includes(typed));
  const entries = typed ? [...toEntries(holding), ...places, ...toEntries(alike)] : [...places, ...toEntries(found)];
  return entries.slice(0, ENTRIES_SHOWN_MAX);
}

/** Where a found thing is shown. */
function fromSearchItem(item: SearchItem, project: string): Entry | undefined {
  const base = { id: `${item.kind} ${item.id}`, label: item.name, ...(item.detail && { detail: item.detail }) };
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
