/** Where a worker process has the pipe that its owner holds the other end of, and says nothing on: it ends with the owner. */
export const OWNER_PIPE = 4;
