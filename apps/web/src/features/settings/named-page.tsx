import type { SettingView } from '@flotilla/contract';
import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, type Loaded as LoadedAnswer, routes, type SettingKindRef, useApi } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { Confirm, Empty, Loaded, Notice, Page, sayDone } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import { NameLink } from './name-link.tsx';
import { type JsonSchema, toFields } from './schema-fields.ts';
import { SettingEditor, saySaved } from './setting-editor.tsx';
import { texts } from './texts.ts';
import { type SettingKind, useSettingKind } from './use-kind.ts';

const text = texts.named;

/** Renders a kind with several documents: `?name=` opens one, `?add=new` creates one. */
export function NamedPage({ kind }: { kind: SettingKindRef }) {
  const url = useUrlState();
  const { query, kinds } = useSettingKind(kind);
  const name = url.get('name');
  const isNew = url.get('add') !== undefined;
  return (
    <Page title={kind.title} lead={texts.leadOf(kind.key)}>
      <Loaded query={kinds} what={texts.what(kind.title)}>
        {({ body }) => {
          const known = body.items.find(({ key }) => key === kind.key);
          if (!known) return null;
          if (isNew && known.may_write) return <NewDocument kind={known} query={query} />;
          if (name !== undefined) return <OneDocument key={name} kind={known} query={query} name={name} />;
          return <Names kind={known} />;
        }}
      </Loaded>
    </Page>
  );
}

interface OfKind {
  readonly kind: SettingKind;
  readonly query: { project?: string };
}

function Names({ kind }: Pick<OfKind, 'kind'>) {
  const url = useUrlState();
  const add = kind.may_write && (
    <Button onClick={() => url.set({ add: 'new', name: undefined }, 'push')}>{text.add}</Button>
  );
  return (
    <>
      {!kind.may_write && <Notice tone="quiet" title={texts.readOnly} />}
      {kind.names.length === 0 ? (
        <Empty title={text.none} action={add} />
      ) : (
        <>
          <ul className={lines.rows} aria-label={kind.title}>
            {kind.names.map((name) => (
              <li key={name} className={lines.row}>
                <NameLink search={{ name }}>
                  <bdi>{name}</bdi>
                </NameLink>
              </li>
            ))}
          </ul>
          <div>{add}</div>
        </>
      )}
    </>
  );
}

function OneDocument({ kind, query, name }: OfKind & { name: string }) {
  const stored = useApi(routes.setting.getNamed, { params: { key: kind.key, name }, query }, { topics: ['setting'] });
  return (
    <>
      <nav aria-label={kind.title}>
        <NameLink search={{}}>{text.back}</NameLink> / <bdi>{name}</bdi>
      </nav>
      <Loaded query={stored} what={texts.what(name)} missing={<Empty title={text.gone} />}>
        {(loaded) => (
          <SettingEditor
            title={name}
            place={{ key: kind.key, name, query }}
            stored={loaded}
            fields={toFields(kind.json_schema as JsonSchema)}
            mayWrite={kind.may_write}
            mayTest={kind.may_test}
            onSaved={() => saySaved(name)}
            actions={kind.may_write && <DeleteDocument kind={kind} query={query} name={name} />}
          />
        )}
      </Loaded>
    </>
  );
}

/** Stored state of a new document. It is saved as the first revision, so if two users create the same name, one gets an error. */
const NOTHING_YET: Omit<SettingView, 'key' | 'name' | 'project'> = {
  value: {},
  private: [],
  revision: 0,
  updated_at: null,
  updated_by: null,
};

function NewDocument({ kind, query }: OfKind) {
  const url = useUrlState();
  const [name, setName] = useState('');
  const stored: LoadedAnswer<SettingView> = {
    body: { ...NOTHING_YET, key: kind.key, name, project: null, value: defaultsOf(kind.json_schema as JsonSchema) },
    etag: '"0"',
  };
  return (
    <>
      <nav aria-label={kind.title}>
        <NameLink search={{}}>{text.back}</NameLink> / {text.create(kind.title)}
      </nav>
      <TextInput
        label={text.name}
        description={text.nameHint}
        value={name}
        maxLength={128}
        required
        autoComplete="off"
        spellCheck={false}
        maw={640}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <SettingEditor
        title={text.create(kind.title)}
        place={{ key: kind.key, name, query }}
        stored={stored}
        fields={toFields(kind.json_schema as JsonSchema)}
        mayWrite={kind.may_write}
        mayTest={kind.may_test && name !== ''}
        isIncomplete={name === ''}
        onSaved={() => {
          saySaved(name);
          url.set({ add: undefined, name });
        }}
      />
    </>
  );
}

function defaultsOf({ properties = {} }: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, member]) => member.default !== undefined)
      .map(([name, member]) => [name, member.default]),
  );
}

function DeleteDocument({ kind, query, name }: OfKind & { name: string }) {
  const url = useUrlState();
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {text.delete}
      </Button>
      <Confirm
        opened={isAsking}
        title={text.deleteTitle(name)}
        action={text.confirm}
        isDangerous
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await call(routes.setting.deleteNamed, { params: { key: kind.key, name }, query });
          await invalidate(queryClient, routes.setting.kinds);
          sayDone(text.deleted(name));
          url.set({ name: undefined });
        }}
      >
        {text.deleteText} {texts.effectOfDeletion(kind.key)}
      </Confirm>
    </>
  );
}
