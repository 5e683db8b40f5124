import type { Destination, NavigationLink } from '../app/screens.ts';
import { ALL_SCREENS } from './all-screens.ts';
import { texts } from './texts.tsx';

const text = texts.areas;

/** A group of links. */
export interface Area {
  readonly label: string | undefined;
  readonly links: readonly NavigationLink[];
}

const LINKS = ALL_SCREENS.flatMap(({ links = [] }) => links).toSorted((a, b) => a.order - b.order);

const toArea = (label: string | undefined, name: NavigationLink['area']): Area => ({
  label,
  links: LINKS.filter(({ area }) => area === name),
});

export const PROJECT_AREAS: readonly Area[] = [
  toArea(undefined, 'top'),
  toArea(text.configuration, 'configuration'),
  toArea(text.security, 'security'),
  toArea(text.administration, 'administration'),
];

export const INSTALLATION: Area = toArea(text.installation, 'installation');

/** All links in the order of the navigation. */
export const ALL_LINKS: readonly NavigationLink[] = [...PROJECT_AREAS, INSTALLATION].flatMap(({ links }) => links);

/** Keys such as `g s`, with the link that they open. */
export const GO_KEYS: ReadonlyMap<string, NavigationLink> = new Map(
  ALL_LINKS.flatMap((link) => (link.goKey === undefined ? [] : [[`g ${link.goKey}`, link] as const])),
);

interface Access {
  readonly can: (route: Destination['needs']) => boolean;
  readonly project: string | undefined;
}

/** Whether the user may open the page, and it does not need a project that is missing. */
export function isOpenable({ to, needs }: Destination, { can, project }: Access): boolean {
  return can(needs) && (project !== undefined || !to.startsWith('/p/'));
}
