import type { BackupView } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { type Column, formatBytes, State, Time } from '../../ui/index.ts';
import { texts } from './texts.ts';

export type Backup = BackupView;

const text = texts;

export const BACKUP_COLUMNS: readonly Column<Backup>[] = [
  {
    id: 'created_at',
    isOpening: true,
    header: text.columns.made,
    width: 110,
    isNarrow: true,
    cell: ({ id, created_at }) => (
      <Link to="." search={(before: object) => ({ ...before, backup: id })} resetScroll={false}>
        <Time at={created_at} />
      </Link>
    ),
    text: ({ created_at }) => created_at,
  },
  {
    id: 'state',
    header: text.columns.state,
    width: 110,
    isNarrow: true,
    cell: (backup) => <BackupState backup={backup} />,
    text: ({ status }) => text.status[status][0],
  },
  {
    id: 'origin',
    header: text.columns.origin,
    width: 110,
    cell: ({ origin }) => text.origins[origin],
    text: ({ origin }) => text.origins[origin],
  },
  {
    id: 'bytes',
    header: text.columns.size,
    width: 90,
    cell: ({ bytes }) => (bytes === null ? '–' : formatBytes(bytes)),
    text: ({ bytes }) => bytes,
  },
  {
    id: 'secrets',
    header: text.columns.secrets,
    width: 140,
    cell: (backup) => describeSecrets(backup),
    text: describeSecrets,
  },
  {
    id: 'created_by',
    header: text.columns.by,
    width: '1fr',
    minWidth: 80,
    cell: ({ created_by }) => <bdi title={created_by}>{created_by}</bdi>,
    text: ({ created_by }) => created_by,
  },
  {
    id: 'description',
    header: text.columns.note,
    width: '2fr',
    minWidth: 100,
    cell: ({ description }) => (description ? <span title={description}>{description}</span> : '–'),
    text: ({ description }) => description,
  },
];

/** Describes the secrets of a backup. A backup with a passphrase may contain none, which is shown first. */
export function describeSecrets({ secret_free, protection }: Pick<Backup, 'secret_free' | 'protection'>): string {
  return secret_free ? text.secrets.none : text.secrets[protection];
}

export function BackupState({ backup: { status } }: { backup: Pick<Backup, 'status'> }) {
  const [word, why] = text.status[status];
  const look = {
    making: { tone: 'busy', shape: 'arc' },
    ready: { tone: 'good', shape: 'full' },
    failed: { tone: 'bad', shape: 'triangle' },
  } as const;
  return <State word={word} why={why} {...look[status]} />;
}
