import { ALERT_CHANNEL_KINDS, type AlertChannelView } from '@flotilla/contract';
import { Checkbox, PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import { NameField } from '../../accounts/index.ts';
import { fieldError, type Loaded as LoadedAnswer, routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { ApiFormBody, DrawerTitle, Loaded, UrlDrawer, useApiForm, useWrite } from '../../ui/index.ts';
import { toChannelValues, toForm } from './channel-model.ts';
import { texts } from './texts.ts';

const text = texts.channels;

/** `?create=channel` opens an empty form, `?channel=<id>` that of one channel. */
export function ChannelDrawers() {
  return (
    <>
      <UrlDrawer name="create" value="channel" title={text.newTitle}>
        {(_, close) => <ChannelForm stored={undefined} onDone={close} />}
      </UrlDrawer>
      <UrlDrawer name="channel" title={text.edit}>
        {(id, close) => <OneChannel id={id} onDone={close} />}
      </UrlDrawer>
    </>
  );
}

function OneChannel({ id, onDone }: { id: string; onDone: () => void }) {
  const project = useProject();
  // Without topics: every delivery changes the channel, and must not replace what is being typed.
  const found = useApi(routes.alertChannel.get, { params: { channel_id: id }, query: { project: project.id } });
  return (
    <Loaded query={found} what={text.one}>
      {(answer) => (
        <>
          <DrawerTitle title={text.editTitle(answer.body.name)} />
          <ChannelForm key={answer.etag} stored={answer} onDone={onDone} />
        </>
      )}
    </Loaded>
  );
}

interface ChannelFormProps {
  readonly stored: LoadedAnswer<AlertChannelView> | undefined;
  readonly onDone: () => void;
}

function useChannelForm({ stored, onDone }: ChannelFormProps) {
  const project = useProject();
  const write = useWrite();
  return useApiForm({
    route: routes.alertChannel.replace,
    initial: toForm(stored?.body),
    refusals: { 'record.exists': { name: text.taken } },
    send: async (values) => {
      const body = toChannelValues(values);
      const query = { project: project.id };
      const stale = [routes.alertChannel.list, routes.alertChannel.get];
      if (stored) {
        const options = {
          done: text.saved(body.name),
          stale,
          ...(stored.etag !== undefined && { ifMatch: stored.etag }),
        };
        await write(routes.alertChannel.replace, { params: { channel_id: stored.body.id }, query, body }, options);
      } else await write(routes.alertChannel.create, { query, body }, { done: text.created(body.name), stale });
      onDone();
    },
  });
}

function ChannelForm(props: ChannelFormProps) {
  const { stored } = props;
  const form = useChannelForm(props);
  // A secret that the channel has is kept if the field stays empty.
  const hasSecret = stored !== undefined && stored.body.target.kind === form.values.kind;
  const refusalOf = (path: string) => fieldError(form.failure, path);
  const { kind } = form.values;
  return (
    <ApiFormBody form={form} action={stored ? text.save : text.create} failed={text.failed}>
      <NameField label={text.name} {...form.field('name')} isFirst />
      <Checkbox label={text.enabled} {...form.field('enabled', 'checkbox')} />
      <Select
        label={text.kind}
        data={ALERT_CHANNEL_KINDS.map((value) => ({ value, label: text.kinds[value] }))}
        allowDeselect={false}
        {...form.field('kind')}
      />
      {kind === 'email' && (
        <Textarea
          label={text.recipients}
          description={text.recipientsHint}
          autosize
          minRows={2}
          {...form.field('recipients')}
          error={refusalOf('target.recipients') ?? refusalOf('target.recipients[0]')}
        />
      )}
      {kind === 'webhook' && (
        <>
          <TextInput label={text.url} type="url" {...form.field('url')} error={refusalOf('target.url')} />
          <PasswordInput
            label={text.secret}
            description={hasSecret ? text.secretKept : text.secretHint}
            autoComplete="off"
            {...form.field('secret')}
            error={refusalOf('target.secret')}
          />
        </>
      )}
      {kind === 'slack' && (
        <PasswordInput
          label={text.slackUrl}
          description={hasSecret ? text.secretKept : text.slackHint}
          autoComplete="off"
          {...form.field('url')}
          error={refusalOf('target.url')}
        />
      )}
    </ApiFormBody>
  );
}
