import { type ComponentType, lazy } from 'react';
import { type RouteRef, routes, settingKinds } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';

const text = texts.shell.sections;

/** One page of the settings, at `/settings/<id>` or `/p/<project>/settings/<id>`; it renders its own `Page`. */
export interface SettingsSection {
  readonly id: string;
  readonly label: string;
  /** Shown with permission for this route. */
  readonly needs: RouteRef;
  /** Additional search words for the palette. */
  readonly words?: string;
  readonly page: ComponentType;
}

/** Loads the page when it is opened. */
function page<K extends string>(load: () => Promise<Readonly<Record<K, ComponentType>>>, name: K): ComponentType {
  return lazy(async (): Promise<{ default: ComponentType }> => ({ default: (await load())[name] }));
}

/** Pages of the installation that are more than a form; add new ones here. */
const INSTALLATION_PAGES: readonly SettingsSection[] = [
  {
    id: 'controllers',
    label: text.installationPages.controllers,
    // Without a project it covers the whole installation, which only owners may read.
    needs: routes.controller.remove,
    words: text.installationPages.controllersFinds,
    page: page(() => import('../../features/controllers/controllers-page.tsx'), 'ControllersPage'),
  },
  {
    id: 'storage',
    label: text.installationPages.storage,
    needs: routes.storage.stats,
    words: text.installationPages.storageFinds,
    page: page(() => import('../../features/storage/storage-page.tsx'), 'StoragePage'),
  },
  {
    id: 'backups',
    label: text.installationPages.backups,
    // Without a project they belong to the installation, which only owners may read.
    needs: routes.storage.stats,
    words: text.installationPages.backupsFinds,
    page: page(() => import('../../features/backups/backups-page.tsx'), 'InstallationBackupsPage'),
  },
  {
    id: 'keys',
    label: texts.keys.title,
    needs: routes.key.list,
    words: text.installationPages.keysFinds,
    page: page(() => import('../../features/keys/keys-page.tsx'), 'KeysPage'),
  },
  {
    id: 'sign-in-blocks',
    label: texts.signInBlocks.title,
    needs: routes.signInBlock.list,
    words: texts.signInBlocks.words,
    page: page(() => import('../../features/sign-in-blocks/sign-in-blocks-page.tsx'), 'SignInBlocksPage'),
  },
  {
    id: 'license',
    label: text.installationPages.license,
    needs: routes.license.get,
    words: text.installationPages.licenseFinds,
    page: page(() => import('../../features/settings/license-page.tsx'), 'LicensePage'),
  },
];

/** Pages of a project that are more than a form; add new ones here. */
const PROJECT_PAGES: readonly SettingsSection[] = [
  {
    id: 'discovery-token',
    label: texts.discoveryToken.title,
    needs: routes.discoveryToken.get,
    words: text.projectPages.discoveryTokenFinds,
    page: page(() => import('../../features/discovery-token/discovery-token-page.tsx'), 'DiscoveryTokenPage'),
  },
  {
    id: 'zone-secrets',
    label: texts.zoneSecrets.title,
    needs: routes.zoneSecret.list,
    words: text.projectPages.zoneSecretsFinds,
    page: page(() => import('../../features/zone-secrets/zone-secrets-page.tsx'), 'ZoneSecretsPage'),
  },
  {
    id: 'backups',
    label: text.projectPages.backups,
    needs: routes.backup.list,
    words: text.projectPages.backupsFinds,
    page: page(() => import('../../features/backups/backups-page.tsx'), 'ProjectBackupsPage'),
  },
  {
    id: 'clean-up',
    label: texts.cleanUp.title,
    needs: routes.cleanUp.preview,
    words: text.projectPages.cleanUpFinds,
    page: page(() => import('../../features/clean-up/clean-up-page.tsx'), 'CleanUpPage'),
  },
];

/** Settings that the API stores but nothing uses yet: a page for them would make false promises. */
const WITHOUT_FUNCTION: ReadonlySet<string> = new Set(['smtp', 'ai', 'cloud', 'api_discovery']);

/** Each settings document has a page generated from its schema. */
const documentPages = (scope: 'installation' | 'project'): SettingsSection[] =>
  settingKinds
    .filter((kind) => kind.scope === scope && !WITHOUT_FUNCTION.has(kind.key))
    .map((kind) => ({
      id: kind.key.replaceAll('_', '-'),
      label: kind.title,
      needs: routes.setting.get,
      page: lazy(async () => {
        const { createDocumentPage } = await import('../../features/settings/index.ts');
        return { default: createDocumentPage(kind) };
      }),
    }));

export const INSTALLATION_SECTIONS: readonly SettingsSection[] = [
  ...documentPages('installation'),
  ...INSTALLATION_PAGES,
];

export const PROJECT_SECTIONS: readonly SettingsSection[] = [...documentPages('project'), ...PROJECT_PAGES];

/** Groups in display order; unlisted pages come last. */
const AREAS: readonly (readonly [label: string | undefined, ids: readonly string[]])[] = [
  [undefined, ['general']],
  [texts.shell.settingsAreas.signingIn, ['sign-in', 'sign-in-blocks', 'otp', 'ldap', 'oidc', 'tokens']],
  [texts.shell.settingsAreas.security, ['discovery-token', 'zone-secrets', 'keys']],
  [texts.shell.settingsAreas.connections, ['syslog', 'webhook']],
  [texts.shell.settingsAreas.operation, ['controllers', 'storage', 'backups', 'clean-up', 'audit', 'license']],
];

export interface SettingsArea {
  /** undefined: without a heading. */
  readonly label: string | undefined;
  readonly sections: readonly SettingsSection[];
}

export function toAreas(sections: readonly SettingsSection[]): readonly SettingsArea[] {
  const named = new Set(AREAS.flatMap(([, ids]) => ids));
  const areas = AREAS.map(([label, ids]) => ({
    label,
    sections: ids.flatMap((id) => sections.filter((section) => section.id === id)),
  }));
  const others = { label: texts.shell.settingsAreas.others, sections: sections.filter(({ id }) => !named.has(id)) };
  return [...areas, others].filter((area) => area.sections.length > 0);
}
