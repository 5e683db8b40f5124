import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { findReleases, sortVersions } from './proxy-versions.ts';

const ENOUGH = 1000;

/** Proxy versions that are known of, newest first: of the release archive, of documents and of services. */
export function useProxyVersions(): readonly string[] {
  const project = useProject();
  const archive = useApi(routes.version.availableVersions, { query: {} });
  const services = useApi(
    routes.service.list,
    { query: { project: project.id, limit: ENOUGH } },
    { topics: ['service'] },
  );
  const bootstraps = useApi(
    routes.xds.list,
    { params: { collection: 'bootstrap' }, query: { project: project.id, limit: ENOUGH } },
    { topics: ['document'] },
  );
  const listeners = useApi(
    routes.xds.list,
    { params: { collection: 'listeners' }, query: { project: project.id, limit: ENOUGH } },
    { topics: ['document'] },
  );
  return useMemo(
    () =>
      sortVersions([
        ...findReleases(archive.data?.body),
        ...(services.data?.body.items ?? []).flatMap(({ version, targets }) => [
          version,
          ...targets.map((target) => target.envoy_version),
        ]),
        ...(bootstraps.data?.body.items ?? []).map(({ version }) => version),
        ...(listeners.data?.body.items ?? []).map(({ version }) => version),
      ]),
    [archive.data, services.data, bootstraps.data, listeners.data],
  );
}
