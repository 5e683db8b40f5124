import type { Change, PublishResult } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { Notice, Section } from '../../ui/index.ts';
import classes from './publish.module.css';
import { texts } from './texts.tsx';

const text = texts.review;
const WORDS = {
  created: text.created,
  changed: text.changed,
  unchanged: text.unchangedWord,
  deleted: text.changed,
} as const;

interface ReviewProps {
  readonly plan: PublishResult;
  readonly isBusy: boolean;
  readonly onPublish: () => void;
  readonly onBack: () => void;
}

/** Everything that publishing writes, before it is written. */
export function PublishReview({ plan, isBusy, onPublish, onBack }: ReviewProps) {
  const { documents, service, clients, warnings } = plan;
  const others = (plan.services ?? []).filter(({ name }) => name !== service.name).map(({ name }) => name);
  return (
    <div className={classes.stack}>
      <div>
        {text.answersAt}
        <div className={`${classes.url} mono`}>{plan.url}</div>
      </div>
      {plan.outcome === 'unchanged' && <Notice tone="quiet" title={text.unchanged} />}
      {warnings.length > 0 && (
        <Notice tone="warn" title={text.warnings}>
          <ul className={classes.warnings}>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Section title={text.records}>
        <ul className={classes.records} aria-label={text.records}>
          {documents.map(({ collection, name, outcome, diff = [] }) => (
            <Record key={`${collection}/${name}`} outcome={outcome} name={`${collection}/${name}`} diff={diff} />
          ))}
          <Record outcome={service.outcome} name={`${text.service} ${service.name}`} diff={service.diff} />
          {clients.map(({ client_id, client_name, deploys, connected }) => (
            <li key={client_id} className={classes.record}>
              <span />
              <span className={classes.name}>
                {deploys ? text.deploys(<bdi>{client_name}</bdi>) : text.runs(<bdi>{client_name}</bdi>)}
                {!connected && ` · ${text.offline}`}
              </span>
            </li>
          ))}
        </ul>
        {others.length > 0 && <p>{text.others(others.join(', '))}</p>}
      </Section>
      <div className={classes.foot}>
        <Button loading={isBusy} onClick={onPublish}>
          {text.publish}
        </Button>
        <Button variant="default" onClick={onBack}>
          {text.back}
        </Button>
      </div>
    </div>
  );
}

interface RecordProps {
  readonly outcome: keyof typeof WORDS;
  readonly name: string;
  readonly diff: readonly Change[];
}

function Record({ outcome, name, diff }: RecordProps) {
  return (
    <li className={classes.record}>
      <span>{WORDS[outcome]}</span>
      <span className={classes.name}>
        <bdi className="mono">{name}</bdi>
        {diff.length > 0 && (
          <details className={classes.more}>
            <summary>{outcome === 'created' ? text.content : text.details(diff.length)}</summary>
            <pre className={classes.diff} tabIndex={0} aria-label={name}>
              {diff.map(describeChange).join('\n')}
            </pre>
          </details>
        )}
      </span>
    </li>
  );
}

function describeChange({ path, change, before, after }: Change): string {
  const sign = { added: '+', removed: '−', changed: '~' }[change];
  const shown = [before, after].filter((value) => value !== undefined).map((value) => JSON.stringify(value, null, 2));
  return `${sign} ${path === '' ? '' : `${path} `}${shown.join(' → ')}`;
}
