import { API_CRITICALITIES, API_DATA_CLASSES, type ApiTeam, INVENTORY_RISK_BANDS } from '@flotilla/contract';
import { bandOf } from '@flotilla/inventory';
import type { Evaluation } from './evaluate.ts';
import { isUnauthenticatedWrite, type OwnedRow } from './owned.ts';

const RISKIEST = 5;

/** Sums operations by their teams. */
export class TeamTotals {
  readonly #teams = new Map<string, ApiTeam>();
  #operations = 0;

  add(row: OwnedRow, { team, owner, criticality, data_classes: classes }: Evaluation): void {
    this.#operations += 1;
    const totals = this.#of(team);
    totals.operation_count += 1;
    totals.risk[bandOf(row.active_risk)] += 1;
    totals.criticality[criticality ?? 'none'] += 1;
    for (const one of classes) totals.data_classes[one] += 1;
    if (isUnauthenticatedWrite(row)) totals.unauthenticated_writes += 1;
    if (row.active_pii !== 0) totals.personal_data += 1;
    if (owner === '') totals.without_owner += 1;
    this.#rank(totals, row);
  }

  /** Without a team first, then by name. */
  close(): { readonly items: ApiTeam[]; readonly operation_count: number } {
    const items = [...this.#teams.values()].toSorted((a, b) => (a.team < b.team ? -1 : 1));
    return { items, operation_count: this.#operations };
  }

  #rank({ riskiest }: ApiTeam, row: OwnedRow): void {
    const { id: operation_id, method, host, path, active_risk: active_risk_score } = row;
    if (active_risk_score === 0) return;
    const last = riskiest.at(-1);
    if (riskiest.length === RISKIEST && (last?.active_risk_score ?? 0) >= active_risk_score) return;
    riskiest.push({ operation_id, method, host, path, active_risk_score });
    riskiest.sort((a, b) => b.active_risk_score - a.active_risk_score || (a.operation_id < b.operation_id ? -1 : 1));
    riskiest.splice(RISKIEST);
  }

  #of(team: string): ApiTeam {
    const known = this.#teams.get(team);
    if (known !== undefined) return known;
    const created: ApiTeam = {
      team,
      operation_count: 0,
      risk: zeros(INVENTORY_RISK_BANDS),
      criticality: zeros([...API_CRITICALITIES, 'none']),
      data_classes: zeros(API_DATA_CLASSES),
      unauthenticated_writes: 0,
      personal_data: 0,
      without_owner: 0,
      riskiest: [],
    };
    this.#teams.set(team, created);
    return created;
  }
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
