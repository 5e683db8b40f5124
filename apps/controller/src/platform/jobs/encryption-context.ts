/** Parameters of a job, or of a schedule that starts jobs. */
export const jobParamsContext = (id: string) => `job-params/${id}`;
