import {
  backupRoutes,
  cleanUpRoutes,
  controllerRoutes,
  discoveryTokenRoutes,
  keyRoutes,
  licenseRoutes,
  lockoutRoutes,
  profileRoutes,
  settingRoutes,
  storageRoutes,
  zoneSecretRoutes,
} from '@flotilla/contract';
import { ZONE } from './furnish.ts';
import type { Screen } from './screen.ts';
import { PROJECT } from './stage.ts';

/** The screens of settings, of the installation and of a project. */
export function listSettingsScreens(): readonly Screen[] {
  const base = `/p/${PROJECT}`;
  return [
    { name: 'settings', path: '/settings', heading: 'General', needs: settingRoutes.kinds },
    ...(
      [
        ['sign-in', 'Sign-in'],
        ['tokens', 'Token rules'],
        ['ldap', 'LDAP directory'],
        ['oidc', 'OpenID Connect'],
        ['smtp', 'Mail'],
        ['outgoing', 'Outgoing connections'],
        ['syslog', 'Syslog forwarding'],
        ['webhook', 'Webhook forwarding'],
      ] as const
    ).map(([section, heading]) => ({
      name: `settings-${section}`,
      path: `/settings/${section}`,
      heading,
      needs: settingRoutes.get,
    })),
    {
      name: 'settings-oidc-add',
      path: '/settings/oidc?add=new',
      heading: 'OpenID Connect',
      needs: settingRoutes.replaceNamed,
    },
    {
      name: 'sign-in-blocks',
      path: '/settings/sign-in-blocks',
      heading: 'Blocked addresses',
      needs: lockoutRoutes.list,
    },
    { name: 'storage', path: '/settings/storage', heading: 'Storage', needs: storageRoutes.stats },
    { name: 'license', path: '/settings/license', heading: 'Licence', needs: licenseRoutes.get },
    {
      name: 'project-settings-otp',
      path: `${base}/settings/otp`,
      heading: 'Second factor',
      needs: settingRoutes.get,
    },
    {
      name: 'project-settings-cloud',
      path: `${base}/settings/cloud?add=new`,
      heading: 'Clouds',
      needs: settingRoutes.replaceNamed,
    },
    { name: 'backups', path: `${base}/settings/backups`, heading: 'Backups', needs: backupRoutes.list },
    {
      name: 'backup-make',
      path: `${base}/settings/backups?make=backup`,
      heading: 'Backups',
      needs: backupRoutes.export,
      dialog: 'Create a backup',
    },
    {
      name: 'backup-restore',
      path: `${base}/settings/backups?restore=upload`,
      heading: 'Backups',
      needs: backupRoutes.import,
      dialog: 'Restore into this project',
    },
    {
      name: 'backup-schedule',
      path: `${base}/settings/backups?schedule=new`,
      heading: 'Backups',
      needs: backupRoutes.list,
      dialog: 'Add a backup schedule',
    },
    { name: 'clean-up', path: `${base}/settings/clean-up`, heading: 'Clean-up', needs: cleanUpRoutes.preview },
    {
      name: 'installation-backups',
      path: '/settings/backups',
      heading: 'Backups',
      needs: storageRoutes.stats,
    },
    { name: 'keys', path: '/settings/keys', heading: 'Keys', needs: keyRoutes.list },
    ...(
      [
        ['data', 'Rotate the data key?'],
        ['master', 'Rotate the master key'],
        ['signing', 'Rotate the signing key?'],
      ] as const
    ).map(([which, dialog]) => ({
      name: `key-${which}`,
      path: `/settings/keys?rotate=${which}`,
      heading: 'Keys',
      needs: keyRoutes.rotate,
      dialog,
    })),
    {
      name: 'discovery-token',
      path: `${base}/settings/discovery-token`,
      heading: 'Discovery token',
      needs: discoveryTokenRoutes.get,
    },
    {
      name: 'discovery-token-change',
      path: `${base}/settings/discovery-token?change=secret`,
      heading: 'Discovery token',
      needs: discoveryTokenRoutes.generate,
      dialog: 'Rotate the secret of the discovery token',
    },
    {
      name: 'zone-secrets',
      path: `${base}/settings/zone-secrets`,
      heading: 'Zone secrets',
      needs: zoneSecretRoutes.list,
    },
    {
      name: 'zone-secrets-add',
      path: `${base}/settings/zone-secrets?add=zone`,
      heading: 'Zone secrets',
      needs: zoneSecretRoutes.create,
      dialog: 'Create a zone secret',
    },
    {
      name: 'zone-secrets-change',
      path: `${base}/settings/zone-secrets?change=${ZONE}`,
      heading: 'Zone secrets',
      needs: zoneSecretRoutes.rotate,
      dialog: `Rotate the secret of ${ZONE}`,
    },
    { name: 'controllers', path: '/settings/controllers', heading: 'Controllers', needs: controllerRoutes.remove },
    { name: 'profile', path: '/profile', heading: /./, needs: profileRoutes.get },
  ];
}
