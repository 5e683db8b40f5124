import type { InventoryOperation } from '@flotilla/contract';
import type { ReactNode } from 'react';
import { ClientLink, ServiceLink } from '../../../app/links.tsx';
import { Facts, Section, Time } from '../../../ui/index.ts';
import classes from '../inventory.module.css';
import { nameOf, shortNameOf } from '../operation-name.tsx';
import { texts as shared } from '../texts.tsx';
import { texts } from './texts.tsx';

const text = texts.facts;

type SetName = InventoryOperation['full_sets'][number];

/** The sets that requests have filled. Their values come from requests and are shown as text. */
export function SeenFacts({ operation }: { operation: InventoryOperation }) {
  const time = (at: string | null) => (at === null ? text.never : <Time at={at} />);
  const set = (name: SetName, values: readonly ReactNode[]) =>
    values.length === 0 ? undefined : <Values values={values} isFull={operation.full_sets.includes(name)} />;
  const plain = (name: SetName, values: readonly string[]) =>
    set(
      name,
      values.map((value) => <bdi key={value}>{value}</bdi>),
    );
  const isShortened = shortNameOf(operation) !== nameOf(operation);
  const words = (values: readonly string[]) => (values.length === 0 ? undefined : values.join(', '));
  return (
    <Section title={text.title}>
      <Facts
        facts={[
          [
            text.name,
            isShortened ? (
              <bdi key="name" className={`mono ${classes.operation}`}>
                {nameOf(operation)}
              </bdi>
            ) : undefined,
          ],
          [text.categories, words(operation.endpoint_categories.map((one) => shared.categories[one]))],
          [text.pii, words(operation.pii_categories.map(({ category }) => shared.pii[category]))],
          [
            text.schemes,
            operation.auth_schemes.map(({ scheme, last_seen: at }) => (
              <div key={scheme}>{text.schemeSeen(shared.schemes[scheme], <Time at={at} />)}</div>
            )),
          ],
          [text.authenticatedAt, time(operation.authenticated_at)],
          [text.anonymousAt, time(operation.anonymous_at)],
          [text.refusedAt, time(operation.refused_at)],
          [text.protocols, words(operation.protocols)],
          [text.grpc, words([operation.grpc_service, operation.grpc_method].filter((one) => one !== ''))],
          [
            text.services,
            set(
              'services',
              operation.services.map(({ id, name }) => <ServiceLink key={id} id={id} name={name ?? text.gone} />),
            ),
          ],
          [
            text.clients,
            set(
              'services',
              operation.clients.map(({ id, name }) => <ClientLink key={id} id={id} name={name ?? text.gone} />),
            ),
          ],
          [text.listeners, plain('listeners', operation.listeners)],
          [text.routes, plain('routes', operation.routes)],
          [text.clusters, plain('clusters', operation.clusters)],
          [text.contentTypes, plain('contentTypes', operation.content_types)],
          [text.origins, plain('origins', operation.origins)],
          [text.queryNames, plain('queryNames', operation.query_names)],
        ]}
      />
    </Section>
  );
}

function Values({ values, isFull }: { values: readonly ReactNode[]; isFull: boolean }) {
  return (
    <>
      {values.map((value, index) => (
        // Values keep their places: later ones are added at the end.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index}>{value}</div>
      ))}
      {isFull && (
        <div className={classes.dim} title={text.fullHint}>
          {text.full}
        </div>
      )}
    </>
  );
}
