import { IconX } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { SwitchControl } from '../controls/bool-control.tsx';
import { NameControl } from '../controls/name-control.tsx';
import { TextControl } from '../controls/text-control.tsx';
import styles from '../form.module.css';
import { useForm } from '../form-context.ts';
import { isList, isObject, type JsonObject } from '../model/json.ts';
import compact from './compact.module.css';
import type { CompactEditorProps } from './compact-editor.ts';
import {
  parseProtocols,
  readTls,
  TLS_VERSIONS,
  type TlsCell,
  type TlsSettings,
  type TlsSide,
  writeAlpn,
  writeMinimum,
  writeRequired,
  writeSni,
} from './model/tls.ts';
import { addCertificate, removeCertificate, writeCertificate, writeTrust } from './model/tls-secrets.ts';
import { ActionButton, AddButton, hintOthers, RowNotes, TEXT_FIELD } from './row-parts.tsx';
import { texts } from './texts.tsx';
import { useMessages, useRows } from './use-rows.ts';

const text = texts.tls;

type Change = (change: (context: JsonObject) => JsonObject, typing: boolean) => void;

interface PartProps {
  readonly side: TlsSide;
  readonly settings: TlsSettings;
  readonly onChange: Change;
}

/** TLS of a listener: its certificates, what it asks of clients, and versions and protocols. */
export function DownstreamTlsEditor(props: CompactEditorProps) {
  return (
    <TlsEditor {...props} side="downstream">
      {(part) => (
        <>
          <CertificateLines {...part} />
          <TrustLine {...part} />
          <RequiredLine {...part} />
          <MinimumLine {...part} />
          <AlpnLine {...part} />
        </>
      )}
    </TlsEditor>
  );
}

/** TLS of a cluster: the name that it sends, whom it trusts, and its own certificate. */
export function UpstreamTlsEditor(props: CompactEditorProps) {
  return (
    <TlsEditor {...props} side="upstream">
      {(part) => (
        <>
          <SniLine {...part} />
          <TrustLine {...part} />
          <CertificateLines {...part} />
        </>
      )}
    </TlsEditor>
  );
}

interface TlsEditorProps extends CompactEditorProps {
  readonly side: TlsSide;
  readonly children: (part: PartProps) => ReactNode;
}

function TlsEditor({ value, at, side, children }: TlsEditorProps) {
  const { state } = useForm();
  const id = useId();
  const messages = useMessages()(at);
  const found = readTls(value, side);
  if (!found.isSimple) return null;
  const onChange: Change = (change, typing) => {
    const now = state.get(at);
    state.set(at, change(isObject(now) ? now : {}), { typing });
  };
  return (
    <div className={compact.editor}>
      {children({ side, settings: found.settings, onChange })}
      <div className={compact.line}>
        <RowNotes id={id} messages={messages} problems={[]} hints={hintOthers(found.settings.others)} />
      </div>
    </div>
  );
}

interface LineProps {
  readonly label: string;
  readonly cell: TlsCell;
  readonly settings: TlsSettings;
  readonly children: (control: {
    readonly id: string;
    readonly describedBy: string;
    readonly invalid: boolean;
  }) => ReactNode;
  readonly action?: ReactNode;
  /** The notes about the cell are below another line. */
  readonly hasNotes?: boolean;
}

function Line({ label, cell, settings, children, action, hasNotes = true }: LineProps) {
  const id = useId();
  const problems = settings.problems.filter((problem) => problem.cell === cell);
  const hints = settings.hints.filter((hint) => hint.cell === cell).map(({ message }) => message);
  return (
    <div className={styles.row} data-row="line">
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.control}>
        {children({ id, describedBy: `${id}-notes`, invalid: problems.length > 0 })}
        {hasNotes && <RowNotes id={`${id}-notes`} messages={[]} problems={problems} hints={hints} />}
      </div>
      <div className={styles.actions}>{action}</div>
    </div>
  );
}

function CertificateLines({ side, settings, onChange }: PartProps) {
  const { readOnly } = useForm();
  const { certificates } = settings;
  const names = certificates.kind === 'stored' ? certificates.names : [];
  const { root, focusCell } = useRows(names.length);
  const label = text.certificates[side];
  if (certificates.kind === 'kept') return <KeptLine label={label} what={certificates.what} />;
  const shown = names.length === 0 ? [''] : names;
  return (
    <div ref={root}>
      {shown.map((name, index) => (
        // The same secret may be chosen twice, so the position is the key.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} data-line={index}>
          <Line
            label={text.certificate(label, index + 1)}
            cell="certificates"
            settings={settings}
            hasNotes={index === shown.length - 1}
            action={
              !readOnly &&
              shown.length > 1 && (
                <ActionButton
                  label={text.removeCertificate(index + 1)}
                  Icon={IconX}
                  onClick={() => {
                    onChange((context) => removeCertificate(context, index), false);
                    focusCell(Math.max(0, index - 1), 'certificates');
                  }}
                />
              )
            }
          >
            {(control) => (
              <SecretControl
                {...control}
                name={name}
                content="tls_certificate"
                placeholder={text.none}
                onName={(next, typing) => onChange((context) => writeCertificate(context, index, next), typing)}
              />
            )}
          </Line>
        </div>
      ))}
      {!readOnly && side === 'downstream' && names.length > 0 && (
        <AddButton
          label={text.addCertificate}
          onClick={() => {
            onChange(addCertificate, false);
            focusCell(names.length, 'certificates');
          }}
        />
      )}
    </div>
  );
}

function TrustLine({ side, settings, onChange }: PartProps) {
  const { trust } = settings;
  const label = text.trust[side];
  if (trust.kind === 'kept') return <KeptLine label={label} what={trust.what} />;
  return (
    <Line label={label} cell="trust" settings={settings}>
      {(control) => (
        <SecretControl
          {...control}
          name={trust.names[0] ?? ''}
          content="validation_context"
          placeholder={text.none}
          onName={(next, typing) => onChange((context) => writeTrust(context, next), typing)}
        />
      )}
    </Line>
  );
}

interface SecretControlProps {
  readonly id: string;
  readonly describedBy: string;
  readonly invalid: boolean;
  readonly name: string;
  readonly content: string;
  readonly placeholder: string;
  readonly onName: (name: string, typing: boolean) => void;
}

function SecretControl({ name, onName, ...control }: SecretControlProps) {
  const { readOnly } = useForm();
  return (
    <NameControl
      {...control}
      field={TEXT_FIELD}
      collection="secrets"
      value={name}
      readOnly={readOnly}
      keepsEmpty
      onCommit={(next, typing) => onName(typeof next === 'string' ? next : '', typing)}
    />
  );
}

function RequiredLine({ settings, onChange }: PartProps) {
  const { readOnly } = useForm();
  return (
    <Line label={text.isRequired} cell="isRequired" settings={settings}>
      {(control) => (
        <SwitchControl
          {...control}
          field={TEXT_FIELD}
          value={settings.isRequired}
          readOnly={readOnly}
          keepsEmpty
          onCommit={(on) => onChange((context) => writeRequired(context, on === true), false)}
        />
      )}
    </Line>
  );
}

function MinimumLine({ settings, onChange }: PartProps) {
  const { readOnly } = useForm();
  const isKnown = TLS_VERSIONS.some((version) => version === settings.minimum);
  return (
    <Line label={text.minimum} cell="minimum" settings={settings}>
      {({ id, describedBy, invalid }) => (
        <select
          id={id}
          className={compact.kind}
          aria-describedby={describedBy}
          aria-invalid={invalid || undefined}
          value={settings.minimum}
          disabled={readOnly}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            onChange((context) => writeMinimum(context, chosen), false);
          }}
        >
          {!isKnown && <option value={settings.minimum}>{settings.minimum}</option>}
          {TLS_VERSIONS.map((version) => (
            <option key={version} value={version}>
              {text.versions[version]}
            </option>
          ))}
        </select>
      )}
    </Line>
  );
}

function AlpnLine({ settings, onChange }: PartProps) {
  const { readOnly } = useForm();
  return (
    <Line label={text.alpn} cell="alpn" settings={settings}>
      {(control) => (
        <TextControl
          {...control}
          field={TEXT_FIELD}
          value={settings.alpn}
          toText={(protocols) => (isList(protocols) ? protocols.join(', ') : '')}
          fromText={parseProtocols}
          placeholder={text.alpnExample}
          readOnly={readOnly}
          code
          keepsEmpty
          onCommit={(next) => onChange((context) => writeAlpn(context, isList(next) ? next.map(String) : []), true)}
        />
      )}
    </Line>
  );
}

function SniLine({ settings, onChange }: PartProps) {
  const { readOnly } = useForm();
  return (
    <Line label={text.sni} cell="sni" settings={settings}>
      {(control) => (
        <TextControl
          {...control}
          field={TEXT_FIELD}
          value={settings.sni}
          toText={String}
          fromText={(typed) => typed}
          placeholder={text.sniExample}
          readOnly={readOnly}
          code
          keepsEmpty
          onCommit={(next) => onChange((context) => writeSni(context, typeof next === 'string' ? next : ''), true)}
        />
      )}
    </Line>
  );
}

/** In place of a control whose value only the full form shows. */
function KeptLine({ label, what }: { readonly label: string; readonly what: string }) {
  return (
    <div className={styles.row} data-row="line">
      <span className={styles.label}>{label}</span>
      <span className={`${styles.control} ${compact.other}`}>{text.kept(what)}</span>
    </div>
  );
}
