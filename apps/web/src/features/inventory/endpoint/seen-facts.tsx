import type { InventoryOperation } from '@flotilla/contract';
import type { ComponentProps, ReactNode } from 'react';
import { ClientLink, ServiceLink } from '../../../app/links.tsx';
import { Facts, Section, Time } from '../../../ui/index.ts';
import classes from '../inventory.module.css';
import { nameOf, shortNameOf } from '../operation-name.tsx';
import { texts as shared } from '../texts.tsx';
import { texts } from './texts.tsx';

const text = texts.facts;

type SetName = InventoryOperation['full_sets'][number];
type SeenFact = ComponentProps<typeof Facts>['facts'][number];

/** The sets that requests have filled. Their values come from requests and are shown as text. */
export function SeenFacts({ operation }: { operation: InventoryOperation }) {
  return (
    <Section title={text.title}>
      <Facts facts={[...describeMeaning(operation), ...describePlaces(operation), ...describeParts(operation)]} />
    </Section>
  );
}

function words(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(', ');
}

/** The whole name, categories, and how requests authenticate. */
function describeMeaning(operation: InventoryOperation): readonly SeenFact[] {
  const time = (at: string | null) => (at === null ? text.never : <Time at={at} />);
  const name = nameOf(operation);
  const isShortened = shortNameOf(operation) !== name;
  return [
    [text.name, isShortened ? words([name]) : undefined],
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
  ];
}

/** The services and clients that have served the requests. */
function describePlaces({ services, clients, full_sets: full }: InventoryOperation): readonly SeenFact[] {
  return [
    [
      text.services,
      services.length === 0 ? undefined : (
        <Values
          key="services"
          values={services.map(({ id, name }) => <ServiceLink key={id} id={id} name={name ?? text.gone} />)}
          isFull={full.includes('services')}
        />
      ),
    ],
    [
      text.clients,
      clients.length === 0 ? undefined : (
        <Values
          key="clients"
          values={clients.map(({ id, name }) => <ClientLink key={id} id={id} name={name ?? text.gone} />)}
          isFull={false}
        />
      ),
    ],
  ];
}

/** Parts of the configuration and of the requests. */
function describeParts(operation: InventoryOperation): readonly SeenFact[] {
  const set = (name: SetName, values: readonly string[]) =>
    values.length === 0 ? undefined : (
      <Values
        values={values.map((value) => <bdi key={value}>{value}</bdi>)}
        isFull={operation.full_sets.includes(name)}
      />
    );
  return [
    [text.listeners, set('listeners', operation.listeners)],
    [text.routes, set('routes', operation.routes)],
    [text.clusters, set('clusters', operation.clusters)],
    [text.contentTypes, set('contentTypes', operation.content_types)],
    [text.origins, set('origins', operation.origins)],
    [text.queryNames, set('queryNames', operation.query_names)],
  ];
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
