import type { UnpublishResult } from '@flotilla/contract';
import { Review } from '../../changes/index.ts';
import { Section } from '../../ui/index.ts';
import classes from './publish.module.css';
import { RecordLine } from './record-line.tsx';
import { texts } from './texts.tsx';

const text = texts.unpublish;
const words = texts.review;

interface ReviewProps {
  readonly plan: UnpublishResult;
  readonly isBusy: boolean;
  readonly onUnpublish: () => void;
  readonly onBack: () => void;
}

/** Everything that unpublishing deletes and changes, before it does. */
export function UnpublishReview({ plan, isBusy, onUnpublish, onBack }: ReviewProps) {
  const { documents, changed_services: changed, clients, warnings, nodes = [], services } = plan;
  return (
    <Review
      plan={{
        reach: nodes.length > 0 ? { nodes, services } : undefined,
        warnings: warnings.map((message) => ({ path: '', message })),
      }}
      changes={
        <Section title={words.records}>
          <ul className={classes.records} aria-label={words.records}>
            {documents.map(({ collection, name, outcome, diff = [] }) => (
              <RecordLine
                key={`${collection}/${name}`}
                outcome={outcome}
                name={`${collection}/${name}`}
                change={{ diff }}
              />
            ))}
            {changed.map(({ id, name, outcome, diff }) => (
              <RecordLine
                key={id}
                outcome={outcome}
                name={`${words.service} ${name}`}
                change={{ diff: outcome === 'deleted' ? [] : diff }}
              />
            ))}
            {clients.map(({ client_id, client_name, service, connected }) => (
              <li key={`${client_id} ${service}`} className={classes.record}>
                <span />
                <span className={classes.name}>
                  {text.undeploy(<bdi>{service}</bdi>, <bdi>{client_name}</bdi>)}
                  {!connected && ` · ${words.offline}`}
                </span>
              </li>
            ))}
          </ul>
        </Section>
      }
      action={text.unpublish}
      isDangerous
      isBusy={isBusy}
      onApply={onUnpublish}
      onBack={onBack}
    />
  );
}
