import { Stack } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Facts, Loaded } from '../../ui/index.ts';
import classes from './client.module.css';
import { texts } from './cloud-network-texts.ts';
import type { CloudPlace } from './cloud-place.ts';

const text = texts.free;

/** How many addresses of a subnet are free, and which. */
export function SubnetAddresses({ place, subnet }: { place: CloudPlace; subnet: string }) {
  const project = useProject();
  const query = useApi(routes.cloudLookup.availableIps, {
    params: { client_id: place.clientId, subnet_id: subnet },
    query: { project: project.id, cloud_project: place.cloudProject, cloud: place.cloud },
  });
  return (
    <Loaded query={query} what={text.what}>
      {({ body: { data } }) => (
        <Stack gap="sm">
          <Facts
            facts={[
              [text.available, data.total_available.toLocaleString()],
              [text.used, data.total_used.toLocaleString()],
              [text.gateway, data.gateway_ip ?? text.none],
            ]}
          />
          <span className={classes.dimmed}>{text.hidden}</span>
          {data.available_ips.length > 0 && (
            <pre className={classes.result} aria-label={text.list} tabIndex={0}>
              {data.available_ips.join('\n')}
            </pre>
          )}
          {data.total_available > data.available_ips.length && (
            <span className={classes.dimmed}>{text.listed(data.available_ips.length)}</span>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
