import { Facts, formatBytes, Time } from '../../ui/index.ts';
import { type Backup, BackupState, describeSecrets } from './backup-columns.tsx';
import { texts } from './texts.ts';

const text = texts;

export function BackupFacts({ backup }: { backup: Backup }) {
  const { content, bytes, origin, created_by: by, description, verified_at: verified, sha256 } = backup;
  const { restore_test: test } = backup;
  return (
    <Facts
      facts={[
        [text.columns.state, <BackupState key="state" backup={backup} />],
        [text.detail.content, content ? describeContent(content) : undefined],
        [text.detail.madeAt, content ? <Time key="at" at={content.made_at} /> : undefined],
        [text.detail.version, content?.app_version],
        [text.columns.origin, text.origins[origin]],
        [text.columns.size, bytes === null ? undefined : formatBytes(bytes)],
        [text.columns.secrets, describeSecrets(backup)],
        [text.columns.by, <bdi key="by">{by}</bdi>],
        [text.columns.note, description ?? undefined],
        [text.detail.verified, <Time key="verified" at={verified} />],
        [text.detail.tested, test ? <Tested key="tested" test={test} /> : undefined],
        [
          text.detail.signer,
          content ? (
            <span key="signer">
              {content.own ? text.detail.ownSigner : text.detail.foreignSigner}:{' '}
              <span className="mono">{content.signer}</span>
            </span>
          ) : undefined,
        ],
        [
          text.detail.sha256,
          sha256 === null ? undefined : (
            <span key="sha" className="mono">
              {sha256}
            </span>
          ),
        ],
      ]}
    />
  );
}

function Tested({ test: { at, is_good: isGood, message } }: { test: NonNullable<Backup['restore_test']> }) {
  return (
    <span>
      <strong>{isGood ? text.detail.testGood : text.detail.testBad}</strong> <Time at={at} />. {message}
    </span>
  );
}

function describeContent({ kind, project }: NonNullable<Backup['content']>): string {
  return project ? text.ofProject(project.name) : text.kinds[kind];
}
