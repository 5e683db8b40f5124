import { type ComponentType, lazy } from 'react';
import { type RouteRef, routes, settingKinds } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';

const text = texts.shell.sections;

/** One page of the settings, at `/settings/<id>` or `/p/<project>/settings/<id>`; it renders a `Page` of its own. */
export interface SettingsSection {
  readonly id: string;
  readonly label: string;
  /** Shown to those who may call it. */
  readonly needs: RouteRef;
  /** Other words by which the palette finds it. */
  readonly words?: string;
  readonly page: ComponentType;
}

/** The page is fetched when it is opened. */
function page<K extends string>(load: () => Promise<Readonly<Record<K, ComponentType>>>, name: K): ComponentType {
  return lazy(async (): Promise<{ default: ComponentType }> => ({ default: (await load())[name] }));
}

/** Pages of the installation that are more than a form; a new one is an entry here. */
const INSTALLATION_PAGES: readonly SettingsSection[] = [
  {
    id: 'controllers',
    label: text.installationPages.controllers,
    // Asked for without a project it shows all of the installation, which is for its owners.
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
    // Asked for without a project they are those of the installation, which are for its owners.
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
    id: 'threat-feeds',
    label: texts.threatIntel.title,
    // Admins of projects may read them by the API; what holds for the installation is shown to its owners.
    needs: routes.threatIntel.upload,
    words: text.installationPages.threatFeedsFinds,
    page: page(() => import('../../features/threat-intel/feeds-page.tsx'), 'ThreatFeedsPage'),
  },
  {
    id: 'geoip',
    label: texts.geoip.title,
    needs: routes.geoip.upload,
    words: text.installationPages.geoipFinds,
    page: page(() => import('../../features/geoip/geoip-page.tsx'), 'GeoipPage'),
  },
  {
    id: 'license',
    label: text.installationPages.license,
    needs: routes.license.get,
    words: text.installationPages.licenseFinds,
    page: page(() => import('../../features/settings/license-page.tsx'), 'LicensePage'),
  },
];

/** Pages of a project that are more than a form; a new one is an entry here. */
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

/** The settings documents have a page each by themselves, made from their schemas. */
const documentPages = (scope: 'installation' | 'project'): SettingsSection[] =>
  settingKinds
    .filter((kind) => kind.scope === scope)
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

/** What belongs together, in the order in which it is shown; what is named nowhere comes last. */
const AREAS: readonly (readonly [label: string | undefined, ids: readonly string[]])[] = [
  [undefined, ['general']],
  [texts.shell.settingsAreas.signingIn, ['sign-in', 'sign-in-blocks', 'otp', 'ldap', 'oidc', 'tokens']],
  [
    texts.shell.settingsAreas.security,
    ['threat-feeds', 'geoip', 'api-discovery', 'discovery-token', 'zone-secrets', 'keys'],
  ],
  [texts.shell.settingsAreas.connections, ['syslog', 'webhook', 'smtp', 'cloud', 'ai']],
  [texts.shell.settingsAreas.operation, ['controllers', 'storage', 'backups', 'clean-up', 'audit', 'license']],
];

export interface SettingsArea {
  /** Undefined: without a heading. */
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
