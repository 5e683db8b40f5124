import type { CallOutput, GeoipKind, geoipRoutes } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import {
  Confirm,
  Digest,
  Facts,
  formatBytes,
  Loaded,
  Page,
  Section,
  State,
  sayDone,
  Time,
  UploadButton,
} from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { FetchDrawer } from './fetch-drawer.tsx';
import { isOld } from './is-old.ts';

const text = texts.geoip;

type Database = CallOutput<typeof geoipRoutes.list>['databases'][number];
type PresentDatabase = Extract<Database, { present: true }>;

/** The databases of places and networks: which there are, from when, and the way to replace them. */
export function GeoipPage() {
  const found = useApi(routes.geoip.list, { query: {} }, { topics: ['setting'] });
  return (
    <Page title={text.title} lead={text.lead}>
      <Loaded query={found} what={text.what}>
        {({ body }) => body.databases.map((database) => <OneDatabase key={database.kind} database={database} />)}
      </Loaded>
      <FetchDrawer />
    </Page>
  );
}

function OneDatabase({ database }: { database: Database }) {
  const [title, about] = text.kinds[database.kind];
  return (
    <Section title={title}>
      <p className={layout.note}>{text.about(about, database.present)}</p>
      {database.present && <DatabaseFacts database={database} />}
      <Actions database={database} />
    </Section>
  );
}

function DatabaseFacts({ database }: { database: PresentDatabase }) {
  const isOutdated = isOld(database.built_at, Date.now());
  const [word, why] = isOutdated ? text.old : text.present;
  return (
    <Facts
      facts={[
        [
          text.facts.state,
          <State
            key="state"
            word={word}
            why={why}
            tone={isOutdated ? 'warn' : 'good'}
            shape={isOutdated ? 'half' : 'full'}
          />,
        ],
        [text.facts.type, database.database_type],
        [text.facts.built, <Time key="built" at={database.built_at} />],
        [text.facts.size, formatBytes(database.size)],
        [text.facts.uploaded, <Time key="uploaded" at={database.upload_date} />],
        [text.facts.by, <bdi key="by">{database.uploaded_by}</bdi>],
        [text.facts.digest, <Digest key="digest" digest={database.sha256} />],
      ]}
    />
  );
}

function Actions({ database: { kind, present } }: { database: Database }) {
  const can = useCan();
  const url = useUrlState();
  const queryClient = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const [title] = text.kinds[kind];
  return (
    <div className={layout.actions}>
      {can(routes.geoip.upload) && (
        <UploadButton
          label={present ? text.upload.replace : text.upload.action}
          ariaLabel={present ? text.upload.replaceLabel(title) : text.upload.label(title)}
          failed={text.upload.failed}
          maxBytes={routes.geoip.upload.bodyLimit}
          accept=".mmdb"
          isDefault={present}
          send={async (file, options) => {
            await call(routes.geoip.upload, { query: { kind }, file }, options);
            sayDone(text.upload.done(title));
            await invalidate(queryClient, routes.geoip.list);
          }}
        />
      )}
      {can(routes.geoip.download) && (
        <Button variant="default" aria-label={text.fetch.label(title)} onClick={() => url.set({ fetch: kind }, 'push')}>
          {text.fetch.action}
        </Button>
      )}
      {present && can(routes.geoip.delete) && (
        <Button variant="default" aria-label={text.remove.label(title)} onClick={() => setDeleting(true)}>
          {text.remove.action}
        </Button>
      )}
      <Removal kind={kind} opened={isDeleting} onClose={() => setDeleting(false)} />
    </div>
  );
}

function Removal({ kind, opened, onClose }: { kind: GeoipKind; opened: boolean; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [title] = text.kinds[kind];
  return (
    <Confirm
      opened={opened}
      title={text.remove.title(title)}
      action={text.remove.action}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await call(routes.geoip.delete, { params: { kind }, query: {} });
        sayDone(text.remove.done(title));
        await invalidate(queryClient, routes.geoip.list);
      }}
    >
      {text.remove.text}
    </Confirm>
  );
}
