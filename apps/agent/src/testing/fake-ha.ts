import type { MemberReport } from '@flotilla/ha';
import { ok, type Result } from '@flotilla/kit';
import type { HaControl, HaOrder, OrderProblem } from '../ha/index.ts';
import { describeSilent } from '../ha/member-report.ts';

/** A member whose orders and rollouts the test reads. */
export class FakeHa implements HaControl {
  readonly orders: HaOrder[] = [];
  readonly rollouts = new Map<string, number>();
  /** The answer to the next order, and to every query. */
  answer: Result<MemberReport, OrderProblem> = ok(describeSilent(undefined));
  resent = 0;
  readonly #listeners = new Set<(report: MemberReport) => void>();

  read(): Promise<MemberReport> {
    return Promise.resolve(this.answer.ok ? this.answer.value : describeSilent(undefined));
  }

  order(order: HaOrder): Promise<Result<MemberReport, OrderProblem>> {
    this.orders.push(order);
    return Promise.resolve(this.answer);
  }

  report(report: MemberReport): void {
    for (const listener of this.#listeners) listener(report);
  }

  onReport(listener: (report: MemberReport) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  resend(): void {
    this.resent += 1;
  }

  noteRollout(serviceId: string, state: number): void {
    this.rollouts.set(serviceId, state);
  }
}
