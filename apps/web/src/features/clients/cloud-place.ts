/** Where a client is in its cloud. */
export interface CloudPlace {
  readonly clientId: string;
  /** Project of the cloud. */
  readonly cloudProject: string;
  /** Name of the stored cloud, if one of several was chosen. */
  readonly cloud: string | undefined;
}
