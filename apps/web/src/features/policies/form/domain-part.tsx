import { Button } from '@mantine/core';
import { DOMAIN_TYPE } from '../../../editor/policy/policy-messages.ts';
import { asRecord } from '../../../yaml/plain.ts';
import { EngineSlots } from '../engines/engine-slots.tsx';
import { PolicyField } from '../fields/policy-field.tsx';
import { OwnAnswer } from './answer-fields.tsx';
import { EngineMarks } from './engine-marks.tsx';
import { ErrorCount } from './error-count.tsx';
import classes from './form.module.css';
import { usePolicyForm } from './form-context.ts';
import { ModeField } from './mode-field.tsx';
import { formatPlace, type OpenPlace } from './place.ts';
import type { DomainView } from './policy-view.ts';
import { RouteList } from './route-list.tsx';
import { texts } from './texts.tsx';

const text = texts.domainPart;

interface DomainPartProps {
  readonly domain: DomainView;
  readonly index: number;
  readonly defaultMode: string;
  /** undefined: the part is closed. */
  readonly place: OpenPlace | undefined;
  readonly isNew: boolean;
  readonly onOpen: (at: string | undefined) => void;
  readonly onRemove: () => void;
}

/** Shows a group of hosts. Closed, it shows the hosts and engines; open, everything. */
export function DomainPart({ domain, index, defaultMode, place, isNew, onOpen, onRemove }: DomainPartProps) {
  const { defaults, errorsWithin, isReadOnly } = usePolicyForm();
  const name = domain.hosts.join(', ') || text.noHost;
  const isOpen = place !== undefined;
  return (
    <section className={classes.part} aria-label={text.title(name)} data-place={formatPlace(index)}>
      <div className={classes.head}>
        <button
          type="button"
          className={classes.toggle}
          aria-expanded={isOpen}
          onClick={() => onOpen(isOpen ? undefined : formatPlace(index))}
        >
          <span className={classes.mark} aria-hidden>
            {isOpen ? '▾' : '▸'}
          </span>
          <bdi className="mono">{name}</bdi>
        </button>
        <ErrorCount errors={errorsWithin(domain.path)} />
        {!isOpen && (
          <span className={classes.dimmed}>
            {domain.effectiveMode}, <DomainMarks domain={domain} />
          </span>
        )}
        {isOpen && !isReadOnly && (
          <span className={classes.end}>
            <Button variant="subtle" color="gray" size="compact-xs" onClick={onRemove}>
              {text.remove}
            </Button>
          </span>
        )}
      </div>
      {isOpen && (
        <div className={classes.body}>
          <PolicyField
            type={DOMAIN_TYPE}
            name="hosts"
            path={domain.path}
            members={{ hosts: domain.hosts }}
            autoFocus={isNew}
          />
          <ModeField path={domain.path} mode={domain.mode} inherited={defaultMode} from="defaults" />
          <OwnAnswer
            path={domain.path}
            answer={domain.answer}
            inherited={asRecord(defaults.block_response) ?? {}}
            from="defaults"
          />
          <div>
            <h3>{text.engines}</h3>
            <EngineSlots slots={domain.engines} of={name} />
          </div>
          <RouteList domain={domain} index={index} open={place.route} onOpen={onOpen} />
        </div>
      )}
    </section>
  );
}

function DomainMarks({ domain: { engines, routes } }: { domain: DomainView }) {
  const count = routes.length;
  if (count === 0) return <EngineMarks slots={engines} />;
  if (engines.every(({ state }) => state === 'unused')) return text.noneOutsideRoutes(count);
  return text.enginesAndRoutes(<EngineMarks slots={engines} />, count);
}
