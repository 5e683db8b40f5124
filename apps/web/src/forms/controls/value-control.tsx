import { durationFromText, durationToText } from '../model/duration.ts';
import { fromInput, toInput } from '../model/scalar.ts';
import { kindOf } from '../model/well-known.ts';
import { SwitchControl, TriStateControl } from './bool-control.tsx';
import type { ControlProps } from './control-props.ts';
import { EnumControl } from './enum-control.tsx';
import { JsonControl } from './json-control.tsx';
import { NameControl } from './name-control.tsx';
import { SecretControl } from './secret-control.tsx';
import { TextControl } from './text-control.tsx';
import { texts } from './texts.tsx';

const words = texts.valueControl;

/** Names of fields that hold a text of several lines. */
const MULTILINE = /^(?:inline_string|inline_code|source_code|inline|body|script)$/;

/** The control for a value that fits beside its label; see `isInline`. */
export function ValueControl(props: ControlProps) {
  const { field } = props;
  const kind = kindOf(field.value);
  switch (kind.kind) {
    case 'enum':
      return <EnumControl {...props} />;
    case 'duration':
      return (
        <TextControl
          {...props}
          toText={durationToText}
          fromText={durationFromText}
          placeholder={words.durationExample}
          numeric
        />
      );
    case 'timestamp':
      return (
        <TextControl {...props} toText={toInput} fromText={(text) => text.trim()} placeholder="2030-01-31T12:00:00Z" />
      );
    case 'field_mask':
      return (
        <TextControl {...props} toText={toInput} fromText={(text) => text} placeholder={words.namesExample} code />
      );
    case 'scalar':
      return <ScalarControl {...props} type={kind.type} wrapper={kind.wrapper} />;
    default:
      return <JsonControl {...props} />;
  }
}

function ScalarControl({
  type,
  wrapper,
  ...props
}: ControlProps & { readonly type: string; readonly wrapper: boolean }) {
  const { field } = props;
  if (type === 'bool' && (typeof props.value === 'boolean' || props.value === undefined)) {
    return wrapper || field.oneof !== undefined ? <TriStateControl {...props} /> : <SwitchControl {...props} />;
  }
  if (props.secret) return <SecretControl {...props} />;
  if (type === 'string' && field.refers_to) return <NameControl {...props} collection={field.refers_to} />;
  const isText = type === 'string' || type === 'bytes';
  return (
    <TextControl
      {...props}
      keepsEmpty={props.keepsEmpty || (wrapper && isText && props.value === '')}
      toText={toInput}
      fromText={(text) => fromInput(type, text)}
      numeric={!isText}
      code={type === 'bytes'}
      multiline={type === 'string' && MULTILINE.test(field.name)}
      placeholder={type === 'bytes' ? 'base64' : undefined}
    />
  );
}
