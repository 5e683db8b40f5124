import { Select } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Empty, Loaded } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { TrafficRoom } from '../inventory/index.ts';
import { DetectionsView } from './detections-view.tsx';
import { texts } from './texts.tsx';

const text = texts.detections;
const POLICIES_MAX = 500;

/** What the policy `?policy=` has detected. */
export function DetectionsPage() {
  const project = useProject();
  const url = useUrlState();
  const policy = url.get('policy');
  const policies = useApi(
    routes.policy.list,
    { query: { project: project.id, limit: POLICIES_MAX, sort: 'name' } },
    { topics: ['policy'] },
  );
  const query = useApi(
    routes.policyDraft.detections,
    { query: { project: project.id, policy: policy ?? '' } },
    { enabled: policy !== undefined, topics: ['policy', 'shield_event', 'service'] },
  );
  return (
    <TrafficRoom title={text.title} lead={text.lead}>
      <div className={layout.stack}>
        <Select
          label={text.policy}
          data={policies.data?.body.items.map(({ name }) => name) ?? []}
          value={policy ?? null}
          onChange={(next) => url.set({ policy: next ?? undefined }, 'push')}
          searchable
          maw={360}
        />
        {policy === undefined ? (
          <Empty title={text.choose}>{text.chooseText}</Empty>
        ) : (
          <Loaded query={query} what={text.what} skeleton={12}>
            {({ body }) => <DetectionsView detections={body} />}
          </Loaded>
        )}
      </div>
    </TrafficRoom>
  );
}
