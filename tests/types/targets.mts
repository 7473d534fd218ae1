// What `/targets` gives and takes is what the official packages declare.

import type Anthropic from "@anthropic-ai/sdk";
import type { AGUIEvent, Message, Tool as AGUITool, ToolCall, ToolMessage as AGUIToolMessage } from "@ag-ui/core";
import type { Tool as AssistantUITool } from "@assistant-ui/react";
import type { Content, GenerateContentResponse, ToolListUnion } from "@google/genai";
import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import { type AIMessage, ToolMessage } from "@langchain/core/messages";
import type { CallToolRequest, CallToolResult, Tool as McpTool } from "@modelcontextprotocol/sdk/types.js";
import type { AbstractChat, ModelMessage, ToolSet, UIMessage } from "ai";
import type OpenAI from "openai";
import { projectTools, type TargetName } from "agent-surface-wasm/targets";
import type { AgentToolset } from "agent-surface-wasm";

declare const toolset: AgentToolset;
declare const answered: object[];
type UseChatHelpers = AbstractChat<UIMessage>;

const anthropic = projectTools(toolset, { target: "anthropic", tools: { a: { strict: true } } });
export const anthropicTools: Anthropic.ToolUnion[] = anthropic.tools();
export const anthropicMessages: Anthropic.MessageParam[] = (await anthropic.answer(answered)).messages;

const responses = projectTools(toolset, { target: "openai-responses" });
export const responsesTools: OpenAI.Responses.Tool[] = responses.tools();
export const responsesInput: OpenAI.Responses.ResponseInput = (await responses.answer(answered)).messages;

const chat = projectTools(toolset, { target: "openai-chat" });
export const chatTools: OpenAI.Chat.ChatCompletionTool[] = chat.tools();
export const chatMessages: OpenAI.Chat.ChatCompletionMessageParam[] = (await chat.answer(answered)).messages;

const gemini = projectTools(toolset, { target: "gemini", schema: "gemini-json" });
export const geminiTools: ToolListUnion = gemini.tools() as ToolListUnion;
export const geminiContents: Content[] = (await gemini.answer(answered)).messages;

const ai = projectTools(toolset, { target: "ai-sdk" });
export const aiTools: ToolSet = ai.tools();
export const aiMessages: ModelMessage[] = (await ai.answer(answered)).messages;

declare const addToolOutput: UseChatHelpers["addToolOutput"];
for (const output of (await ai.answer(answered)).outputs ?? []) void addToolOutput(output);

const langchain = projectTools(toolset, { target: "langchain" });
export const langchainTools: BindToolsInput[] = langchain.tools();
export const langchainMessages: ToolMessage[] = (await langchain.answer(answered)).messages.map((fields) => new ToolMessage(fields));

const assistant = projectTools(toolset, { target: "assistant-ui" });
export const assistantTools: Record<string, AssistantUITool> = assistant.tools() as Record<string, AssistantUITool>;

const agui = projectTools(toolset, { target: "ag-ui" });
export const aguiTools: AGUITool[] = agui.tools();
export const aguiMessages: AGUIToolMessage[] = (await agui.answer(answered)).messages;

const mcp = projectTools(toolset, { target: "mcp" });
export const mcpTools: McpTool[] = mcp.tools();
const [result] = (await mcp.answer({ name: "a" })).messages;
if (result && !("error" in result) && !("inputRequests" in result)) {
  const typed: CallToolResult = result;
  void typed;
}

// What each SDK answers is what `answer` takes.
declare const message: Anthropic.Message;
void anthropic.answer(message);
void anthropic.answer(message.content);
declare const response: OpenAI.Responses.Response;
void responses.answer(response);
void responses.answer(response.output);
declare const completion: OpenAI.Chat.ChatCompletion;
declare const choice: OpenAI.Chat.ChatCompletion.Choice;
void chat.answer(completion);
void chat.answer(choice);
void chat.answer(choice.message);
void chat.answer(choice.message.tool_calls ?? []);
declare const generated: GenerateContentResponse;
void gemini.answer(generated);
void gemini.answer(generated.functionCalls ?? []);
declare const modelMessages: ModelMessage[];
declare const toolCall: { toolCallId: string; toolName: string; input: unknown };
void ai.answer(modelMessages);
void ai.answer(toolCall);
declare const aiMessage: AIMessage;
void langchain.answer(aiMessage);
void langchain.answer(aiMessage.tool_calls ?? []);
declare const runEvents: AGUIEvent[];
void agui.answer(runEvents);
declare const called: CallToolRequest;
void mcp.answer(called);

// What is kept in place of an answer has its type.
const { history } = await anthropic.answer(message);
export const anthropicKept: Anthropic.MessageParam = { role: "assistant", content: (history ?? message).content };
export const responsesKept: OpenAI.Responses.ResponseOutputItem[] = ((await responses.answer(response)).history ?? response).output;
const completed = (await chat.answer(completion)).history ?? completion;
export const chatKept: (OpenAI.Chat.ChatCompletionMessageParam | undefined)[] = [completed.choices[0]?.message];
export const geminiKept: (Content | undefined)[] = [((await gemini.answer(generated)).history ?? generated).candidates?.[0]?.content];
export const langchainKept: AIMessage = Object.assign(aiMessage, (await langchain.answer(aiMessage)).history);
declare const runMessages: Message[];
export const aguiKept: Message[] = (await agui.answer(runMessages)).history ?? runMessages;
export const aguiCalls: ToolCall[] = (await agui.answer(runEvents)).history ?? [];
// @ts-expect-error -- the calls of a run, not its events
export const aguiEvents: AGUIEvent[] = (await agui.answer(runEvents)).history ?? [];

// @ts-expect-error -- the text alone is no answer
void anthropic.answer("hello");
// @ts-expect-error -- calls as another API has them
void anthropic.answer(completion);
// @ts-expect-error -- a promise is no answer
void chat.answer(Promise.resolve(completion));

const names: TargetName[] = ["anthropic", "openai-responses", "openai-chat", "gemini", "ai-sdk", "langchain", "assistant-ui", "ag-ui", "mcp", "language-model"];
void names;

// @ts-expect-error -- no such target
projectTools(toolset, { target: "clippy" });
