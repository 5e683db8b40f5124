import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An installation of an older version: its database, its files and secrets. None was ever in production. */
export interface OldInstallation {
  /** The last of its migrations, which is the name of its dump. */
  readonly last: string;
  readonly masterKey: string;
  /** Missing in versions without one: the first start of a newer version creates it. */
  readonly auditKey?: string;
  readonly project: string;
  readonly token: string;
  readonly passwords: { readonly admin: string; readonly ann: string; readonly victor: string };
  /** The secret in victor's authenticator. */
  readonly otpSecret?: string;
}

export const OLD_INSTALLATIONS: readonly OldInstallation[] = [
  {
    last: '0005-enrolment',
    masterKey: '823fc5b638591ec3cb9358a6bc3c16fe4a3d2c9e02eaa3d05a176f3368f737eb',
    project: '01a20514-deee-7b51-9c99-fc6b124597bf',
    token: 'flt_iTcMvvcEoEeNezZ_PsnuK4821TYMTw0IDG2_YV3BrKM',
    passwords: { admin: 'nDBAf4EkuQ8Ewlxg', ann: 'Correct-Battery-Horse-77', victor: 'P5aKOzMOTpsmpO8-3ZtYxrvM' },
  },
  {
    last: '0029-job-indexes',
    masterKey: '9063f0528f0d0f4677e7076fc221a8a46ac982149ab9bb303554e86ce902d922',
    auditKey: `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJMgdpqUC8RxFqpMLh+d1pzQ4MEBSHjB4mogTsJfcbWy
-----END PRIVATE KEY-----
`,
    project: '01a20524-85c3-7cff-99a3-bc87d4f44ee4',
    token: 'flt_PbQulFdoM8HcMmotYs_tBXFZyXVoNUCeh1vdRqVxqzQ',
    passwords: { admin: 'tbVzO1_HNoNOUZ0v', ann: 'Correct-Battery-Horse-77', victor: 'Correct-Battery-Staple-9' },
    otpSecret: '3NIUU44MVWFSHXGJXAT66FDRI2GIUI7L',
  },
];

/** SQL for an empty database: that version's statements for its tables, and its rows. */
export function readDump({ last }: OldInstallation): Promise<string> {
  return readFile(join(import.meta.dirname, `${last}.sql`), 'utf8');
}
