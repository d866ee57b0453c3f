// Written by scripts/generate-sdk-api.ts from the OpenAPI document of the service; changes here are lost.

export type ApiKey = {
  id: string;
  name: string | null;
  scopes: ReadonlyArray<PostSessionScope>;
  created_at: string;
  /** May lag by a minute. */
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
};

export type GetMembersAnswer = {
  members: ReadonlyArray<Member>;
};

export type GetMembersRole = {
  project_id: string;
  /** The role of the member in the project; each may do all that the roles before it may. */
  role: RoleRole;
};

export type GetProjectApiKeysAnswer = {
  api_keys: ReadonlyArray<ApiKey>;
};

export type GetProjectClientsAnswer = {
  clients: ReadonlyArray<GetProjectClientsClient>;
};

export type GetProjectClientsClient = {
  /** The UUID in the intake path. */
  client_id: string;
  name: string | null;
  created_at: string;
  revoked_at: string | null;
  secrets: ReadonlyArray<Secret>;
};

export type GetProjectsAnswer = {
  projects: ReadonlyArray<Project>;
};

export type Invitation = {
  /** Shown only once, and only if it was not sent. */
  link: string | null;
  /** The e-mail address that the link was sent to. */
  sent_to: string | null;
  /** Why it could not be sent. */
  mail_error: string | null;
  expires_at: string;
};

export type Member = {
  id: string;
  email: string;
  name: string | null;
  /** Whether the member may do everything on the instance. */
  is_admin: boolean;
  /** An owner sees only roles in their own projects. */
  roles: ReadonlyArray<GetMembersRole>;
  created_at: string;
  /** May lag by a minute. */
  last_seen_at: string | null;
  /** When the open link ends; null without one. */
  invited_until: string | null;
};

export type PostLinkAnswer = {
  email: string;
  name: string | null;
};

export type PostLinkBody = {
  /** The secret of a one-time link: the text after its #. */
  invitation: string;
};

export type PostMembersAnswer = {
  id: string;
  email: string;
  name: string | null;
  /** Whether the member may do everything on the instance. */
  is_admin: boolean;
  /** An owner sees only roles in their own projects. */
  roles: ReadonlyArray<GetMembersRole>;
  created_at: string;
  /** May lag by a minute. */
  last_seen_at: string | null;
  /** When the open link ends; null without one. */
  invited_until: string | null;
  /** The one-time link; null if members sign in with a provider, or if an admin must make it. */
  invitation: Invitation | null;
};

export type PostMembersBody = {
  email: string;
  name?: string | null | undefined;
  /** Only admins can make admins. */
  is_admin?: boolean | null | undefined;
  roles?: ReadonlyArray<PostMembersRole> | null | undefined;
};

export type PostMembersRole = {
  project_id: string;
  /** The role of the member in the project; each may do all that the roles before it may. */
  role: RoleRole;
};

export type PostSessionAnswer = {
  /** Signed in with an API key, with the admin token, or as a member. */
  kind: PostSessionKind;
  /** The project of a key. */
  project?: Project;
  /** The scopes of a key. */
  scopes?: ReadonlyArray<PostSessionScope>;
  /** The member. */
  member?: PostSessionMember;
  /** The roles of a member in projects. */
  roles?: ReadonlyArray<PostSessionRole>;
  /** The latest end of the session. */
  expires_at: string;
};

export type PostSessionKind = 'key' | 'admin' | 'member';

export type PostSessionMember = {
  id: string;
  email: string;
  name: string | null;
  is_admin: boolean;
};

export type PostSessionRole = {
  role: RoleRole;
  project: Project;
};

export type PostSessionScope = 'read' | 'write';

export type PostSessionType = 'revenue' | 'internal';

export type Project = {
  id: string;
  name: string;
  /** `revenue` projects have margin, `internal` ones performance. */
  type: PostSessionType;
  /** IANA name. Days and periods of the project are in this timezone. */
  timezone: string;
  /** The new timezone while the days are being rebuilt for it; otherwise null. */
  pending_timezone: string | null;
  /** Percent: a positive margin below it is at risk; null for never. */
  at_risk_below_pct: number | null;
  /** How many days before today events and calls are kept; null for ever. Totals are always kept. */
  retention_days: number | null;
  /** Whether the prompts and answers in OpenTelemetry spans and log records are stored. */
  keep_content: boolean;
  /** Whether reports of calls that share no id are joined where process, model, output and time are alike. */
  join_alike: boolean;
  /** Tags of calls whose sums are kept as those of features are, so that questions grouped by them are as fast. */
  tag_dimensions: ReadonlyArray<string>;
  /** The first day whose events and calls are kept, if earlier days have only totals; otherwise null. */
  kept_from: string | null;
  created_at: string;
};

export type RoleRole = 'viewer' | 'editor' | 'owner';

export type Secret = {
  id: string;
  created_at: string;
  /** May lag by a minute. */
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
};

export type GetMembersQuery = {
  project_id?: string | undefined;
};

export type GetSessionAnswer = PostSessionAnswer;
