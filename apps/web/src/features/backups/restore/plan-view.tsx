import type { RestorePlan } from '@flotilla/contract';
import type { ReactNode } from 'react';
import { texts } from '../../../texts/index.ts';
import { Notice, toWord } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { countWrites } from '../backup-model.ts';

const text = texts.backups.restore;
const SHOWN_MAX = 50;

/** What a restore would do, and what it would not. */
export function PlanView({ plan }: { plan: RestorePlan }) {
  const { creates, unchanged, missing_secrets: missing, not_taken: notTaken } = plan;
  const created = creates.reduce((sum, { count }) => sum + count, 0);
  const names = creates.flatMap(({ kind, names: all }) => all.map((name) => ({ kind, name })));
  return (
    <>
      {countWrites(plan) === 0 && <Notice tone="quiet" title={text.nothing} />}
      {created > 0 && <Names title={text.creates(created)} total={created} names={names} />}
      {missing.length > 0 && (
        <Names
          title={text.missing(missing.length)}
          total={missing.length}
          names={missing.map(({ kind, name, path }) => ({ kind, name: `${name} ${path}` }))}
        />
      )}
      {unchanged > 0 && <Group title={text.unchanged(unchanged)} />}
      {notTaken.length > 0 && (
        <Group title={text.notTaken}>
          {notTaken.map(({ kind, count, reason }) => (
            <li key={`${kind} ${reason}`}>{text.reason(toWord(kind), count, reason)}</li>
          ))}
        </Group>
      )}
    </>
  );
}

interface NamesProps {
  readonly title: string;
  readonly total: number;
  readonly names: readonly { readonly kind: string; readonly name: string }[];
}

export function Names({ title, total, names }: NamesProps) {
  const shown = names.slice(0, SHOWN_MAX);
  return (
    <Group title={title}>
      {shown.map(({ kind, name }) => (
        <li key={`${kind} ${name}`}>
          {toWord(kind)}: <bdi className="mono">{name}</bdi>
        </li>
      ))}
      {total > shown.length && <li>{text.more(total - shown.length)}</li>}
    </Group>
  );
}

function Group({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div>
      <strong>{title}</strong>
      {children && <ul className={layout.names}>{children}</ul>}
    </div>
  );
}
