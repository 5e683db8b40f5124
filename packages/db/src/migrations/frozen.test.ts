import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listMigrations } from '../migrate.ts';

/**
 * What may have run somewhere never changes: whoever has had it would keep what it made then. A mend is a migration of its
 * own. SHA-256 of the files, the first twelve digits.
 */
const FROZEN = {
  '0001-foundation': '69f9eac5b95c',
  '0003-documents': '271f51ea34c8',
  '0004-fleet': '98471ea0f196',
  '0005-enrolment': 'e2ecaf96045d',
  '0006-live-events': '5f854764bb00',
  '0007-metrics': 'eeb927964fbe',
  '0008-command-kinds': 'a1d88c28e249',
  '0009-told-by-statement': '6cc2aab32c7a',
  '0010-shield-events': '875ec0e9eda2',
  '0011-shield-event-search': '721d980aa5bb',
  '0012-shield-event-drops': '654351526ae2',
  '0013-row-security': 'efca8b5da8c1',
  '0014-sessions': '0264a6c713fb',
  '0015-sign-ins': 'a1b8763d6547',
  '0016-permissions': '965bcc70a64a',
  '0017-audit': 'fed5d63f2947',
  '0018-jobs': '87ece5dd438f',
  '0019-settings': '9c2bd400bc6a',
  '0020-permissions': 'c06e20882e91',
  '0021-audit-forwarding': '3747b72656d8',
  '0022-directories': '23ad0598ab07',
  '0023-first-password': '3bb86396891d',
  '0024-backups': '233eb3c37196',
  '0025-keys': 'cac02d924c63',
  '0026-controllers': 'ecd75e833387',
  '0027-threat-intel': '151b44e6ae24',
  '0028-audit-search': '27368007d6cb',
  '0029-job-indexes': '101707a9c54c',
  '0030-audit-scale': 'ca19036724d6',
  '0031-jobs-order': '663d095f9f32',
  '0032-restore': '50620c7408f1',
  '0033-permission-scale': 'bab0348ca1d1',
  '0034-directory-accounts': 'dc040d0aed03',
  '0035-service-secrets': 'b52141eae27f',
  '0036-parts-and-grants': '699824c23fb7',
  '0037-default-groups': 'c8a919ed8f08',
  '0038-certificate-ends': 'f4f528277916',
  '0039-told-audit': 'ef7bdac5399e',
  '0040-host-access': '8b1beeacf9c5',
  '0041-home-projects': '8bf1f23c2a7b',
  '0043-document-comments': '42fb1537d461',
  '0044-project-collectors': '67cdcb5a0740',
  '0045-config-error-codes': '97ab3ef95bca',
  '0046-shield-reports': '8136e8a2b92f',
};

it.each(Object.entries(FROZEN))('%s is as it was', async (name, digest) => {
  const source = await readFile(join(import.meta.dirname, `${name}.ts`));
  expect(createHash('sha256').update(source).digest('hex').slice(0, 12)).toBe(digest);
});

it('none is left out', () => {
  expect(Object.keys(FROZEN)).toEqual(listMigrations());
});
