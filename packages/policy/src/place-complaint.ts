import { toProblems } from './load.ts';
import type { Complaint, LoadProblem } from './problem.ts';
import { type PolicyFile, readYamlSource } from './yaml-source.ts';

/** Locates a complaint from outside the policy checks in the file. */
export function placeComplaint(file: PolicyFile, complaint: Complaint): LoadProblem[] {
  const source = readYamlSource(file);
  return source.ok ? toProblems(source.value, [complaint]) : source.error;
}
