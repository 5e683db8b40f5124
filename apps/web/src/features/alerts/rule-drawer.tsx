import { ALERT_SEVERITIES, type AlertRuleView } from '@flotilla/contract';
import { Checkbox, MultiSelect, NumberInput, Select, Textarea } from '@mantine/core';
import { NameField } from '../../accounts/index.ts';
import { fieldError, type Loaded as LoadedAnswer, routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { ApiFormBody, DrawerTitle, Loaded, UrlDrawer, useApiForm, useWrite } from '../../ui/index.ts';
import { ConditionFields } from './condition-fields.tsx';
import { QuietHoursFields } from './quiet-hours-fields.tsx';
import { toForm, toRuleValues } from './rule-model.ts';
import { texts } from './texts.ts';

const text = texts.rules;

/** `?create=rule` opens an empty form, `?rule=<id>` that of one rule. */
export function RuleDrawers() {
  return (
    <>
      <UrlDrawer name="create" value="rule" title={text.newTitle} size="lg">
        {(_, close) => <RuleForm stored={undefined} onDone={close} />}
      </UrlDrawer>
      <UrlDrawer name="rule" title={text.edit} size="lg">
        {(id, close) => <OneRule id={id} onDone={close} />}
      </UrlDrawer>
    </>
  );
}

function OneRule({ id, onDone }: { id: string; onDone: () => void }) {
  const project = useProject();
  // Without topics: a change by somebody else must not replace what is being typed; the ETag refuses to overwrite it.
  const found = useApi(routes.alertRule.get, { params: { rule_id: id }, query: { project: project.id } });
  return (
    <Loaded query={found} what={text.one}>
      {(answer) => (
        <>
          <DrawerTitle title={text.editTitle(answer.body.name)} />
          <RuleForm key={answer.etag} stored={answer} onDone={onDone} />
        </>
      )}
    </Loaded>
  );
}

interface RuleFormProps {
  readonly stored: LoadedAnswer<AlertRuleView> | undefined;
  readonly onDone: () => void;
}

function useRuleForm({ stored, onDone }: RuleFormProps) {
  const project = useProject();
  const write = useWrite();
  const query = { project: project.id };
  return useApiForm({
    route: routes.alertRule.replace,
    initial: toForm(stored?.body),
    refusals: { 'record.exists': { name: text.taken } },
    send: async (values) => {
      const body = toRuleValues(values, stored?.body);
      const stale = [routes.alertRule.list, routes.alertRule.get];
      const options = {
        done: text.saved(body.name),
        stale,
        ...(stored?.etag !== undefined && { ifMatch: stored.etag }),
      };
      if (stored) {
        const params = { rule_id: stored.body.id };
        await write(routes.alertRule.replace, { params, query, body }, options);
      } else await write(routes.alertRule.create, { query, body }, { done: options.done, stale });
      onDone();
    },
  });
}

function RuleForm(props: RuleFormProps) {
  const project = useProject();
  const channels = useApi(
    routes.alertChannel.list,
    { query: { project: project.id, limit: 100 } },
    { topics: ['alert_channel'] },
  );
  const form = useRuleForm(props);
  const { values } = form;
  return (
    <ApiFormBody form={form} action={text.save} failed={text.failed}>
      <NameField label={text.name} {...form.field('name')} isFirst />
      <Checkbox label={text.enabled} {...form.field('enabled', 'checkbox')} />
      <ConditionFields condition={values.condition} onChange={(condition) => form.set('condition', condition)} />
      <NumberInput label={text.forS} min={0} max={86_400} allowDecimal={false} {...form.field('for_s')} />
      <Select
        label={text.severity}
        data={ALERT_SEVERITIES.map((value) => ({ value, label: texts.severities[value] }))}
        allowDeselect={false}
        {...form.field('severity')}
      />
      <MultiSelect
        label={text.channels}
        {...(values.channels.length === 0 && { placeholder: text.noChannel })}
        data={(channels.data?.body.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        {...form.field('channels')}
      />
      <NumberInput
        label={text.repeat}
        description={text.repeatHint}
        min={1}
        max={168}
        {...form.field('repeat_hours')}
        error={fieldError(form.failure, 'repeat_s')}
      />
      <Textarea
        label={text.names}
        description={text.namesHint}
        autosize
        minRows={2}
        {...form.field('names')}
        error={fieldError(form.failure, 'selector.names')}
      />
      <QuietHoursFields
        hours={values.quiet_hours}
        error={form.failure}
        onChange={(hours) => form.set('quiet_hours', hours)}
      />
    </ApiFormBody>
  );
}
