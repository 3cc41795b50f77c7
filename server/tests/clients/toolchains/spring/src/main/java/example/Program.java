package example;

import static org.springframework.security.config.Customizer.withDefaults;

import jakarta.servlet.http.HttpSession;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientProviderBuilder;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application of Spring Boot that signs people in, and an API that checks access tokens. */
@SpringBootApplication
@RestController
public class Program {
  private static final String ISSUER = System.getenv("ISSUER");

  public static void main(String[] arguments) {
    SpringApplication.run(Program.class, arguments);
  }

  /** The decoder that Spring makes for an issuer refuses the type at+jwt (RFC 9068). */
  @Bean
  JwtDecoder accessTokens() {
    var decoder = NimbusJwtDecoder.withIssuerLocation(ISSUER).validateType(false).build();
    decoder.setJwtValidator(
        JwtValidators.createAtJwtValidator()
            .issuer(ISSUER)
            .audience(System.getenv("AUDIENCE"))
            .build());
    return decoder;
  }

  @Bean
  @Order(1)
  SecurityFilterChain api(HttpSecurity http) throws Exception {
    return http.securityMatcher("/api")
        .authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
        .oauth2ResourceServer((server) -> server.jwt(withDefaults()))
        .build();
  }

  @Bean
  @Order(2)
  SecurityFilterChain pages(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
    var signedOut = new OidcClientInitiatedLogoutSuccessHandler(clients);
    signedOut.setPostLogoutRedirectUri("{baseUrl}/");
    return http.authorizeHttpRequests(
            (requests) -> requests.requestMatchers("/me", "/sign-in").permitAll().anyRequest().authenticated())
        .oauth2Login(withDefaults())
        .oidcLogout((logout) -> logout.backChannel(withDefaults()))
        .logout((logout) -> logout
            .logoutRequestMatcher(PathPatternRequestMatcher.pathPattern("/sign-out"))
            .logoutSuccessHandler(signedOut))
        .build();
  }

  @GetMapping("/sign-in")
  ResponseEntity<Void> signIn() {
    return ResponseEntity.status(HttpStatus.FOUND).location(URI.create("/oauth2/authorization/latchkey")).build();
  }

  @GetMapping("/")
  String home() {
    return "";
  }

  @GetMapping("/me")
  ResponseEntity<Map<String, Object>> me(@AuthenticationPrincipal OidcUser user) {
    if (user == null) return ResponseEntity.status(HttpStatus.UNAUTHORIZED).build();
    return ResponseEntity.ok(user.getUserInfo().getClaims());
  }

  /** Refreshes where the access token expires within a day, which every one does. */
  @Bean
  OAuth2AuthorizedClientManager refreshing(
      ClientRegistrationRepository clients, OAuth2AuthorizedClientRepository kept) {
    var manager = new DefaultOAuth2AuthorizedClientManager(clients, kept);
    manager.setAuthorizedClientProvider(
        OAuth2AuthorizedClientProviderBuilder.builder()
            .refreshToken((provider) -> provider.clockSkew(Duration.ofDays(1)))
            .build());
    return manager;
  }

  /** The manager refreshes the client before this is called. */
  @GetMapping("/refresh")
  Map<String, Boolean> refresh(
      @RegisteredOAuth2AuthorizedClient("latchkey") OAuth2AuthorizedClient client, HttpSession session) {
    var token = client.getAccessToken().getTokenValue();
    var before = session.getAttribute("token");
    session.setAttribute("token", token);
    return Map.of("changed", !token.equals(before));
  }

  @GetMapping("/api")
  String api() {
    return "";
  }
}
