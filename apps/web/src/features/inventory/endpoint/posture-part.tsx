import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { Facts, Section, Time } from '../../../ui/index.ts';
import classes from '../inventory.module.css';
import { StoreLoaded } from '../store-loaded.tsx';
import { texts } from './texts.tsx';

const text = texts.posture;

/** Counts the stored requests of the last days, beside the counters of the catalogue. */
export function PosturePart({ operationId }: { operationId: string }) {
  const project = useProject();
  const query = useApi(routes.trafficInsight.posture, {
    params: { operation_id: operationId },
    query: { project: project.id },
  });
  const number = (value: number) => Math.round(value).toLocaleString('en');
  return (
    <Section title={text.title}>
      <StoreLoaded isPart query={query} what={text.what} skeleton={3}>
        {({ body: { current } }) =>
          current === null ? (
            <p className={classes.dim}>{text.dormant}</p>
          ) : (
            <Facts
              facts={[
                [text.requests, number(current.requests)],
                [text.authenticated, number(current.authenticated)],
                [text.anonymous, number(current.anonymous)],
                [text.threat, current.max_risk_score],
                [text.exposure, current.max_exposure_score],
                [text.last, <Time key="last" at={current.last_active} />],
              ]}
            />
          )
        }
      </StoreLoaded>
    </Section>
  );
}
