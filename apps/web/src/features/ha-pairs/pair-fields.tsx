import { HA_LIMITS } from '@flotilla/contract';
import { Checkbox, Fieldset, NumberInput, Textarea, TextInput } from '@mantine/core';
import { ApiError, routes } from '../../api/index.ts';
import { explainValue, rulesOf } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import classes from './ha-pairs.module.css';
import { detectionMs } from './model.ts';
import type { MemberValues, PairValues, Problem } from './pair-values.ts';
import { texts } from './texts.ts';

const text = texts.form;

export interface FieldsProps {
  readonly values: PairValues;
  readonly problems: readonly Problem[];
  readonly set: (change: Partial<PairValues>) => void;
}

const NAME_RULE = rulesOf(routes.ha.create).name;

/** Says what is wrong with a name; undefined for a valid one, and for one that is not typed yet. */
export function explainName(name: string, refusal?: unknown): string | undefined {
  if (isTaken(refusal)) return text.taken;
  return NAME_RULE && explainValue(NAME_RULE, name);
}

/** Whether the refusal is explained at the field of the name. */
export function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'ha.exists';
}

interface NameFieldProps {
  readonly name: string;
  readonly refusal: unknown;
  readonly onChange: (name: string) => void;
}

export function NameField({ name, refusal, onChange }: NameFieldProps) {
  return (
    <TextInput
      label={text.name}
      placeholder={text.nameExample}
      maw={320}
      required
      error={explainName(name, refusal)}
      value={name}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Interval and misses, with the time after which a silent member is noticed. */
export function HeartbeatFields({ values, problems, set }: FieldsProps) {
  const isWrong = (kind: Problem['kind']) => problems.some((one) => one.kind === kind);
  const time =
    isWrong('interval') || isWrong('misses')
      ? undefined
      : detectionMs({ interval_ms: Number(values.interval), misses: Number(values.misses) });
  return (
    <Fieldset legend={text.heartbeats}>
      <div className={layout.stack}>
        <div className={classes.pairOfFields}>
          <NumberInput
            label={text.interval}
            description={text.intervalHint}
            min={HA_LIMITS.intervalMinMs}
            max={HA_LIMITS.intervalMaxMs}
            step={50}
            clampBehavior="none"
            allowDecimal={false}
            error={isWrong('interval')}
            value={values.interval}
            onChange={(interval) => set({ interval })}
          />
          <NumberInput
            label={text.misses}
            description={text.missesHint}
            min={HA_LIMITS.missesMin}
            max={HA_LIMITS.missesMax}
            clampBehavior="none"
            allowDecimal={false}
            error={isWrong('misses')}
            value={values.misses}
            onChange={(misses) => set({ misses })}
          />
        </div>
        <p className={layout.note} aria-live="polite">
          {time === undefined ? text.detectionWrong : text.detection(texts.seconds(time))} {text.port(HA_LIMITS.port)}
        </p>
      </div>
    </Fieldset>
  );
}

/** Fence targets, next hops and preemption. */
export function NetworkFields({ values, problems, set }: FieldsProps) {
  const hasFence = values.fence.trim() !== '';
  return (
    <>
      <Textarea
        label={text.fenceTargets}
        description={text.fenceHint}
        placeholder={text.addressExample}
        autosize
        minRows={2}
        error={explainLines(problems, 'fence')}
        value={values.fence}
        onChange={(event) => set({ fence: event.currentTarget.value })}
      />
      {!hasFence && <p className={layout.note}>{text.noFence}</p>}
      <Textarea
        label={text.nextHops}
        description={text.nextHopsHint}
        placeholder={text.addressExample}
        autosize
        minRows={2}
        error={explainLines(problems, 'next_hops')}
        value={values.nextHops}
        onChange={(event) => set({ nextHops: event.currentTarget.value })}
      />
      <Checkbox
        label={text.preempt}
        description={text.preemptHint}
        checked={values.preempt}
        onChange={(event) => set({ preempt: event.currentTarget.checked })}
      />
    </>
  );
}

function explainLines(problems: readonly Problem[], kind: 'fence' | 'next_hops'): string | undefined {
  const found = problems.find((one) => one.kind === kind);
  if (!found || !('line' in found || 'max' in found)) return undefined;
  return found.line === undefined ? text.tooMany(found.max ?? 0) : text.wrongLine(found.line);
}

interface MemberFieldsProps extends FieldsProps {
  /** A new pair has no override of the management address. */
  readonly hasMgmt: boolean;
}

/** Priority and addresses of each chosen member. */
export function MemberFields({ values, problems, set, hasMgmt }: MemberFieldsProps) {
  const change = (clientId: string, part: Partial<MemberValues>) =>
    set({ members: values.members.map((one) => (one.clientId === clientId ? { ...one, ...part } : one)) });
  return values.members.map((member) => (
    <Fieldset key={member.clientId} legend={<bdi>{member.name}</bdi>}>
      <OneMember
        member={member}
        problems={problems}
        hasMgmt={hasMgmt}
        onChange={(part) => change(member.clientId, part)}
      />
    </Fieldset>
  ));
}

interface OneMemberProps {
  readonly member: MemberValues;
  readonly problems: readonly Problem[];
  readonly hasMgmt: boolean;
  readonly onChange: (part: Partial<MemberValues>) => void;
}

function OneMember({ member, problems, hasMgmt, onChange }: OneMemberProps) {
  const { clientId, name, found } = member;
  const isWrong = (kind: Problem['kind']) =>
    problems.some((one) => one.kind === kind && 'clientId' in one && one.clientId === clientId);
  const isSame = problems.some(({ kind }) => kind === 'same_priority');
  const explainFound = (address: string | undefined) => (address ? text.found(address) : text.notFound);
  return (
    <div className={classes.memberFields}>
      <NumberInput
        label={text.priority}
        aria-label={text.priorityOf(name)}
        min={HA_LIMITS.priorityMin}
        max={HA_LIMITS.priorityMax}
        clampBehavior="none"
        allowDecimal={false}
        error={explainPriority(isWrong('priority'), isSame)}
        value={member.priority}
        onChange={(priority) => onChange({ priority })}
      />
      <TextInput
        label={text.dataAddress}
        aria-label={text.dataAddressOf(name)}
        description={explainFound(found.data?.auto)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        error={isWrong('data') && text.notAddress}
        value={member.data}
        onChange={(event) => onChange({ data: event.currentTarget.value })}
      />
      {hasMgmt && (
        <TextInput
          label={text.mgmtAddress}
          aria-label={text.mgmtAddressOf(name)}
          description={explainFound(found.mgmt?.auto)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          error={isWrong('mgmt') && text.notAddress}
          value={member.mgmt}
          onChange={(event) => onChange({ mgmt: event.currentTarget.value })}
        />
      )}
    </div>
  );
}

function explainPriority(isWrong: boolean, isSame: boolean): string | undefined {
  if (isWrong) return text.priorityRange(HA_LIMITS.priorityMin, HA_LIMITS.priorityMax);
  return isSame ? text.samePriority : undefined;
}
