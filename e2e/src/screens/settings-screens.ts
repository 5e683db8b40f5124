import {
  backupRoutes,
  cleanUpRoutes,
  controllerRoutes,
  discoveryTokenRoutes,
  geoipRoutes,
  keyRoutes,
  licenseRoutes,
  profileRoutes,
  settingRoutes,
  signInBlockRoutes,
  storageRoutes,
  threatIntelRoutes,
  zoneSecretRoutes,
} from '@flotilla/contract';
import { type Places, ZONE } from './furnish.ts';
import type { Screen } from './screen.ts';
import { PROJECT } from './stage.ts';

/** Of the settings of the installation and of a project. */
export function listSettingsScreens(places: Places): readonly Screen[] {
  const base = `/p/${PROJECT}`;
  return [
    { name: 'settings', path: '/settings', heading: 'General', needs: settingRoutes.kinds },
    ...(
      [
        ['sign-in', 'Sign-in'],
        ['tokens', 'Token rules'],
        ['ldap', 'LDAP directory'],
        ['oidc', 'OpenID Connect'],
        ['syslog', 'Syslog forwarding'],
        ['webhook', 'Webhook forwarding'],
        ['api-discovery', 'API discovery'],
        ['smtp', 'Mail'],
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
      needs: signInBlockRoutes.list,
    },
    { name: 'storage', path: '/settings/storage', heading: 'Storage', needs: storageRoutes.stats },
    { name: 'license', path: '/settings/license', heading: 'Licence', needs: licenseRoutes.get },
    ...(
      [
        ['otp', 'Second factor'],
        ['cloud', 'Clouds'],
        ['ai', 'Analysis'],
      ] as const
    ).map(([section, heading]) => ({
      name: `project-settings-${section}`,
      path: `${base}/settings/${section}`,
      heading,
      needs: settingRoutes.get,
    })),
    {
      name: 'cloud-add',
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
      dialog: 'Make a backup',
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
      dialog: 'Make backups by the clock',
    },
    { name: 'clean-up', path: `${base}/settings/clean-up`, heading: 'Clean-up', needs: cleanUpRoutes.preview },
    {
      name: 'installation-backups',
      path: '/settings/backups',
      heading: 'Backups',
      needs: storageRoutes.stats,
    },
    { name: 'threat-feeds', path: '/settings/threat-feeds', heading: 'Threat feeds', needs: threatIntelRoutes.upload },
    {
      name: 'threat-feed',
      path: `/settings/threat-feeds?feed=${places.feed}`,
      heading: 'Threat feeds',
      needs: threatIntelRoutes.upload,
      dialog: /^Entries of/,
    },
    {
      name: 'threat-feed-add',
      path: '/settings/threat-feeds?add=feed',
      heading: 'Threat feeds',
      needs: threatIntelRoutes.upload,
      dialog: 'Upload a feed',
    },
    { name: 'geoip', path: '/settings/geoip', heading: 'GeoIP', needs: geoipRoutes.upload },
    {
      name: 'geoip-fetch',
      path: '/settings/geoip?fetch=city',
      heading: 'GeoIP',
      needs: geoipRoutes.download,
      dialog: 'City database: fetch it',
    },
    { name: 'keys', path: '/settings/keys', heading: 'Keys', needs: keyRoutes.list },
    ...(
      [
        ['data', 'Make a new data key?'],
        ['master', 'Change the master key'],
        ['signing', 'Make a new signing key?'],
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
      dialog: 'Change the secret of the discovery token',
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
      dialog: 'Make a secret for a zone',
    },
    {
      name: 'zone-secrets-change',
      path: `${base}/settings/zone-secrets?change=${ZONE}`,
      heading: 'Zone secrets',
      needs: zoneSecretRoutes.rotate,
      dialog: `Change the secret of ${ZONE}`,
    },
    { name: 'controllers', path: '/settings/controllers', heading: 'Controllers', needs: controllerRoutes.remove },
    { name: 'profile', path: '/profile', heading: /./, needs: profileRoutes.get },
  ];
}
