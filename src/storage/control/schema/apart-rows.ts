/** How far the events of one writer are assembled for a project that is assembled apart (docs/decisions/0032). */
export interface ApartWatermarkRow {
  project_id: string;
  writer: string;
  assembled_seq: number;
  /** Later events were received at this time or later, in milliseconds since 1970. */
  assembled_received_at: number;
}

/** An event id that cannot be assembled: its events stay in the log, and its calls as they were. */
export interface SetAsideIdRow {
  project_id: string;
  event_id: string;
  /** Milliseconds since 1970. */
  since: number;
}
