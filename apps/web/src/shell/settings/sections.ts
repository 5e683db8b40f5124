import { type ComponentType, lazy } from 'react';
import { type RouteRef, routes, settingKinds } from '../../api/index.ts';

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
    label: 'Controllers',
    // Asked for without a project it shows all of the installation, which is for its owners.
    needs: routes.controller.remove,
    words: 'cluster instances nodes leader processes',
    page: page(() => import('../../features/controllers/controllers-page.tsx'), 'ControllersPage'),
  },
  {
    id: 'storage',
    label: 'Storage',
    needs: routes.storage.stats,
    words: 'disk space full growth database tables',
    page: page(() => import('../../features/storage/storage-page.tsx'), 'StoragePage'),
  },
  {
    id: 'backups',
    label: 'Backups',
    // Asked for without a project they are those of the installation, which are for its owners.
    needs: routes.storage.stats,
    words: 'restore export download schedule',
    page: page(() => import('../../features/backups/backups-page.tsx'), 'InstallationBackupsPage'),
  },
  {
    id: 'license',
    label: 'Licence',
    needs: routes.license.get,
    words: 'license plan subscription',
    page: page(() => import('../../features/settings/license-page.tsx'), 'LicensePage'),
  },
];

/** Pages of a project that are more than a form; a new one is an entry here. */
const PROJECT_PAGES: readonly SettingsSection[] = [
  {
    id: 'backups',
    label: 'Backups',
    needs: routes.backup.list,
    words: 'restore export download schedule upload',
    page: page(() => import('../../features/backups/backups-page.tsx'), 'ProjectBackupsPage'),
  },
  {
    id: 'clean-up',
    label: 'Clean-up',
    needs: routes.cleanUp.preview,
    words: 'retired proxy version delete documents undo bring back',
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
