/** A client's methods by what becomes of their calls. A place is a path in the client, of which `a|b` takes the first that is there. */
export interface Family {
  readonly name: string;
  /** By the type of the events; a client is of the family if it has the first place. */
  readonly reported: Readonly<Record<string, readonly string[]>>;
  /** Where jobs of many requests begin, and where their usage is told once they are done. */
  readonly jobs: readonly (readonly [begins: string, ends: string])[];
  /** What may cost money and is not reported: it is told once for each. */
  readonly passed: readonly string[];
}

const places = (list: string): readonly string[] => list.split(' ');

/** Methods of Google's that make several requests, as for functions, have ones inside that make one request each. */
export const families: readonly Family[] = [
  {
    name: 'openai',
    reported: {
      chat: ['chat.completions.create'],
      responses: places('responses.create responses.compact beta.responses.create beta.responses.compact'),
      embeddings: ['embeddings.create'],
      completions: ['completions.create'],
      images: places('images.generate images.edit images.createVariation'),
      transcriptions: places('audio.transcriptions.create audio.translations.create'),
      speech: ['audio.speech.create'],
      decisions: ['decisions.create'],
    },
    jobs: [['batches.create', 'batches.retrieve']],
    passed: places(
      'videos.create videos.edit videos.extend videos.remix fineTuning.jobs.create fineTuning.alpha.graders.run evals.runs.create vectorStores.create vectorStores.search containers.create live.create realtime.clientSecrets.create realtime.calls.create realtime.calls.accept realtime.translations.clientSecrets.create beta.realtime.sessions.create beta.realtime.transcriptionSessions.create beta.threads.runs.create beta.threads.createAndRun beta.agents.sessions.create beta.agents.sessions.events.create beta.agents.automations.invocations.create beta.chatkit.sessions.create',
    ),
  },
  {
    name: 'anthropic',
    reported: { messages: places('messages.create beta.messages.create') },
    jobs: [
      ['messages.batches.create', 'messages.batches.results'],
      ['beta.messages.batches.create', 'beta.messages.batches.results'],
    ],
    passed: places('beta.sessions.create beta.sessions.events.send beta.deployments.run beta.dreams.create'),
  },
  {
    name: 'google',
    reported: {
      generate_content: places(
        'models.generateContentInternal|generateContent models.generateContentStreamInternal|generateContentStream',
      ),
      embed_content: ['models.embedContentInternal|embedContent'],
      images: places(
        'models.generateImagesInternal|generateImages models.editImageInternal|editImage models.upscaleImageInternal|upscaleImage',
      ),
      interactions: ['interactions.create'],
    },
    jobs: [],
    passed: places(
      'models.generateVideos models.recontextImage models.segmentImage batches.create batches.createEmbeddings caches.create tunings.tune live.connect live.music.connect fileSearchStores.uploadToFileSearchStore fileSearchStores.importFile triggers.create triggers.run environments.create',
    ),
  },
  {
    name: 'mistral',
    reported: {
      chat: places('chat.complete chat.stream chat.parse chat.parseStream'),
      embeddings: ['embeddings.create'],
      fim: places('fim.complete fim.stream'),
      agents: places('agents.complete agents.stream'),
      conversations: places(
        'beta.conversations.start beta.conversations.startStream beta.conversations.append beta.conversations.appendStream beta.conversations.restart beta.conversations.restartStream',
      ),
      ocr: ['ocr.process'],
      transcriptions: places('audio.transcriptions.complete audio.transcriptions.stream'),
      speech: ['audio.speech.complete'],
    },
    jobs: [],
    passed: places(
      'batch.jobs.create classifiers.moderate classifiers.moderateChat classifiers.classify classifiers.classifyChat realtime.sessions.create beta.libraries.documents.upload beta.observability.judges.judgeConversation workflows.executeWorkflow',
    ),
  },
];

/** Streams of these have usage only if `stream_options` asks for it. */
export const askable: ReadonlySet<string> = new Set(['openai.chat', 'openai.completions']);
