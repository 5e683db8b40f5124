import type { PublishResult } from '@flotilla/contract';
import { Review } from '../../changes/index.ts';
import { Notice, Section } from '../../ui/index.ts';
import classes from './publish.module.css';
import type { PublishRecord } from './publish-records.ts';
import { RecordLine } from './record-line.tsx';
import { texts } from './texts.tsx';

const text = texts.review;
interface ReviewProps {
  readonly plan: PublishResult;
  readonly records: readonly PublishRecord[];
  readonly isBusy: boolean;
  readonly onPublish: () => void;
  readonly onBack: () => void;
}

/** Everything that publishing writes, before it is written. */
export function PublishReview({ plan, records, isBusy, onPublish, onBack }: ReviewProps) {
  const { clients, nodes = [], services } = plan;
  return (
    <div className={classes.stack}>
      <div>
        {text.answersAt}
        <div className={`${classes.url} mono`}>{plan.url}</div>
      </div>
      {plan.outcome === 'unchanged' && <Notice tone="quiet" title={text.unchanged} />}
      <Review
        plan={{
          reach: nodes.length > 0 ? { nodes, services } : undefined,
          warnings: plan.warnings.map((message) => ({ path: '', message })),
        }}
        changes={
          <Section title={text.records}>
            <ul className={classes.records} aria-label={text.records}>
              {records.map((record) => (
                <RecordLine key={record.name} {...record} />
              ))}
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
          </Section>
        }
        action={text.publish}
        isBusy={isBusy}
        onApply={onPublish}
        onBack={onBack}
      />
    </div>
  );
}
