import type { DescriptorSource } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { compareVersions } from '@flotilla/envoy-dist';
import type { VersionSource } from './version-list.ts';

export interface VersionUse {
  readonly version: string;
  readonly documents: number;
  readonly services: number;
  readonly descriptors: DescriptorSource | null;
  readonly sha256: string | null;
  readonly prepared_at: string | null;
}

/** The known versions and those that a project uses, newest first. */
export async function countByVersion(
  db: Db,
  project: string,
  known: ReadonlyMap<string, VersionSource>,
): Promise<VersionUse[]> {
  const [documents, services] = await Promise.all([
    db
      .selectFrom('documents')
      .select(['version', (eb) => eb.fn.countAll<string>().as('count')])
      .where('project_id', '=', project)
      .groupBy('version')
      .execute(),
    db
      .selectFrom('services')
      .select(['version', (eb) => eb.fn.countAll<string>().as('count')])
      .where('project_id', '=', project)
      .groupBy('version')
      .execute(),
  ]);
  const documentsOf = new Map(documents.map(({ version, count }) => [version, Number(count)]));
  const servicesOf = new Map(services.map(({ version, count }) => [version, Number(count)]));
  return [...new Set([...known.keys(), ...documentsOf.keys(), ...servicesOf.keys()])]
    .sort((a, b) => compareVersions(b, a))
    .map((version) => {
      const { source, prepared } = known.get(version) ?? {};
      return {
        version,
        documents: documentsOf.get(version) ?? 0,
        services: servicesOf.get(version) ?? 0,
        descriptors: source ?? null,
        sha256: prepared?.sha256 ?? null,
        prepared_at: prepared?.preparedAt.toISOString() ?? null,
      };
    });
}
